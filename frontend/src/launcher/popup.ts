/** The button, and the window that it opens with the page in a frame. A call goes on while the window is closed. */
import type { ToHost } from '../embed/tellHost';

export interface PopupWords {
  readonly open: string;
  readonly goesOn: string;
  readonly close: string;
  /** The page may not be shown here, and what opens it elsewhere. */
  readonly refused: string;
  readonly alone: string;
}

export interface PopupLook {
  readonly name: string;
  readonly address: string;
  readonly side: 'left' | 'right';
  readonly style: string;
  readonly words: PopupWords;
}

/** For which a frame that has loaded may say nothing, and one that loads may take. */
const SAYS_SO_MS = 1_000;
const LOADS_MS = 20_000;

/** What a call needs; a page in a frame has none of it unless it is handed on. */
const HANDED_ON = 'microphone; camera; autoplay; display-capture; screen-wake-lock; clipboard-write';

export class Popup {
  readonly host = document.createElement('aura-launcher');
  readonly #look: PopupLook;
  readonly #place = element('div', 'place');
  readonly #window = element('div', 'window');
  readonly #launcher = element('button', 'launcher');
  #frame: HTMLIFrameElement | null = null;
  #inCall = false;
  /** The page in the frame has said that it is there. */
  #here = false;
  #refused: HTMLElement | null = null;
  #waiting = 0;

  constructor(look: PopupLook) {
    this.#look = look;
    const root = this.host.attachShadow({ mode: 'open' });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(look.style);
    root.adoptedStyleSheets = [sheet];
    this.#place.dataset.side = look.side;
    this.#build(root);
    window.addEventListener('message', (event) => this.#hear(event));
  }

  open(): void {
    if (!this.#frame) {
      this.#frame = document.createElement('iframe');
      this.#frame.title = this.#look.name;
      this.#frame.allow = HANDED_ON;
      this.#frame.src = this.#look.address;
      this.#wait(LOADS_MS);
      this.#frame.addEventListener('load', () => this.#here || this.#wait(SAYS_SO_MS));
      this.#window.append(this.#frame);
    }
    this.#window.hidden = false;
    this.#label();
    this.#frame.focus();
  }

  close(): void {
    this.#window.hidden = true;
    this.#label();
    this.#launcher.focus();
    if (!this.#inCall) this.#drop();
  }

  #build(root: ShadowRoot): void {
    const { name, words } = this.#look;
    const bar = element('div', 'bar');
    const title = element('span', 'name');
    const close = element('button', 'close');
    title.textContent = name;
    close.type = 'button';
    close.ariaLabel = words.close;
    close.textContent = '×';
    close.addEventListener('click', () => this.close());
    bar.append(title, close);
    this.#window.id = 'window';
    this.#window.role = 'dialog';
    this.#window.ariaLabel = name;
    this.#window.hidden = true;
    this.#window.append(bar);
    this.#launcher.type = 'button';
    this.#launcher.ariaHasPopup = 'dialog';
    this.#launcher.setAttribute('aria-controls', 'window');
    this.#label();
    this.#launcher.addEventListener('click', () => (this.#window.hidden ? this.open() : this.close()));
    this.#place.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && !this.#window.hidden) this.close();
    });
    this.#place.append(this.#window, this.#launcher);
    root.append(this.#place);
  }

  /** Listens to the page in the frame, and to nobody else. */
  #hear({ source, origin, data }: MessageEvent<ToHost | null>): void {
    if (!this.#frame || source !== this.#frame.contentWindow || origin !== new URL(this.#look.address).origin) return;
    this.#here = true;
    clearTimeout(this.#waiting);
    this.#refuse(false);
    if (data?.aura === 'escape') this.close();
    if (data?.aura === 'call') this.#calls(data.on);
  }

  /** The page says at once that it is here; one that a browser does not show in a frame says nothing. */
  #wait(ms: number): void {
    clearTimeout(this.#waiting);
    this.#waiting = window.setTimeout(() => this.#refuse(true), ms);
  }

  #refuse(on: boolean): void {
    if (!this.#frame || on === (this.#refused !== null)) return;
    this.#frame.hidden = on;
    this.#refused?.remove();
    this.#refused = on ? this.#apology() : null;
    if (this.#refused) this.#window.append(this.#refused);
  }

  #apology(): HTMLElement {
    const { address, words } = this.#look;
    console.warn(
      `aura.js: ${new URL(address).origin} cannot be shown here. If it runs, it does not list this page: ` +
        `AURA_WEB_EMBED=${window.location.origin} allows it.`,
    );
    const told = element('div', 'refused');
    const text = element('p', 'why');
    const link = element('a', 'alone');
    told.role = 'alert';
    text.textContent = words.refused;
    Object.assign(link, { href: address, target: '_blank', rel: 'noopener', textContent: words.alone });
    told.append(text, link);
    return told;
  }

  #calls(on: boolean): void {
    this.#inCall = on;
    this.#label();
    if (!on && this.#window.hidden) this.#drop(); // it ended while nobody looked
  }

  /** Says of the button what it opens, and whether it has. */
  #label(): void {
    const { open, goesOn } = this.#look.words;
    this.#place.dataset.call = String(this.#inCall);
    this.#launcher.ariaExpanded = String(!this.#window.hidden);
    this.#launcher.textContent = this.#inCall && this.#window.hidden ? goesOn : open;
  }

  #drop(): void {
    clearTimeout(this.#waiting);
    this.#refuse(false);
    this.#frame?.remove();
    this.#frame = null;
    this.#here = false;
  }
}

function element<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, name: string): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  made.className = name;
  return made;
}
