/** What the browser keeps for this page; where it refuses (blocked cookies, a sandboxed frame), memory takes its place. */
export type Keeper = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** @param open gives the browser's own storage, or throws: even to look at it may be forbidden. */
export function usable(open: () => Storage): Keeper {
  const memory = new Memory();
  try {
    const storage = open();
    storage.getItem('');
    return new Lenient(storage, memory);
  } catch {
    return memory;
  }
}

class Memory implements Keeper {
  readonly #values = new Map<string, string>();

  getItem(key: string): string | null {
    return this.#values.get(key) ?? null;
  }

  setItem(key: string, value: string): void {
    this.#values.set(key, value);
  }

  removeItem(key: string): void {
    this.#values.delete(key);
  }
}

/** A storage that may be full or taken away at any time: what it does not take is kept in memory. */
class Lenient implements Keeper {
  constructor(
    readonly storage: Storage,
    readonly memory: Memory,
  ) {}

  getItem(key: string): string | null {
    try {
      return this.memory.getItem(key) ?? this.storage.getItem(key);
    } catch {
      return null;
    }
  }

  setItem(key: string, value: string): void {
    try {
      this.storage.setItem(key, value);
      this.memory.removeItem(key);
    } catch {
      this.memory.setItem(key, value);
    }
  }

  removeItem(key: string): void {
    this.memory.removeItem(key);
    try {
      this.storage.removeItem(key);
    } catch {
      // it is gone from what is looked at first
    }
  }
}

/** Kept for the next visit. */
export const kept: Keeper = usable(() => window.localStorage);
/** Kept as long as the tab. */
export const keptInTab: Keeper = usable(() => window.sessionStorage);
