/** What the page is called and looks like where its operator says so; the web server writes it into the page. */
export interface Brand {
  readonly name: string;
  /** The address of a picture in place of the name. */
  readonly logo: string | null;
  /** By language and by the key in the tables, such as `door.start`. */
  readonly words: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export const PLAIN: Brand = { name: 'AURA', logo: null, words: {} };

/** Read where something is drawn; it is told once, before anything is. */
export let brand: Brand = PLAIN;

/** Takes the brand from the document. */
export function openBrand(head: Pick<ParentNode, 'querySelector'>): void {
  brand = readBrand(head.querySelector<HTMLMetaElement>('meta[name="aura-brand"]')?.content);
}

/** What it says, and the page's own of what cannot be read. */
export function readBrand(json: string | undefined): Brand {
  try {
    const { name, logo, words } = JSON.parse(json ?? '{}') as Record<string, unknown>;
    return {
      name: typeof name === 'string' && name ? name : PLAIN.name,
      logo: typeof logo === 'string' && logo ? logo : null,
      words: typeof words === 'object' && words ? (words as Brand['words']) : {},
    };
  } catch {
    return PLAIN;
  }
}
