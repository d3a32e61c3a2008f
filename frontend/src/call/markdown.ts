/** The little Markdown that language models write, as data: bold, italic, code, links, lists. No HTML. Pure. */
export type Inline =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'bold' | 'italic'; readonly parts: readonly Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly parts: readonly Inline[] };

export type Block =
  | { readonly kind: 'words'; readonly parts: readonly Inline[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly (readonly Inline[])[] };

/** Of it nothing is taken for a mark beyond so many letters: a sentence is shorter, and no search is long. */
const LONGEST = 400;
const RULES: readonly (readonly [RegExp, (found: RegExpExecArray) => Inline | null])[] = [
  [/`([^`\n]+)`/g, ([, text = '']) => ({ kind: 'code', text })],
  [rule(String.raw`\*\*(?=\S)(.{1,N}?)(?<=\S)\*\*`), ([, text = '']) => ({ kind: 'bold', parts: inline(text) })],
  [
    rule(String.raw`(?<!\w)__(?=\S)(.{1,N}?)(?<=\S)__(?!\w)`),
    ([, text = '']) => ({ kind: 'bold', parts: inline(text) }),
  ],
  [
    rule(String.raw`(?<![\w*])\*(?=[^\s*])([^*\n]{1,N})(?<=\S)\*(?![\w*])`),
    ([, text = '']) => ({ kind: 'italic', parts: inline(text) }),
  ],
  [
    rule(String.raw`(?<!\w)_(?=[^\s_])([^_\n]{1,N})(?<=\S)_(?!\w)`),
    ([, text = '']) => ({ kind: 'italic', parts: inline(text) }),
  ],
  [
    rule(String.raw`\[([^\]\n]{1,N})\]\(([^\s()]{1,N})\)`),
    ([, text = '', href = '']) => link(href, [{ kind: 'text', text }]),
  ],
  [/https?:\/\/[^\s<>]{0,400}[^\s<>.,;:!?()[\]*_'"]/g, ([href]) => link(href, [{ kind: 'text', text: href }])],
];
const ITEM = /^\s{0,3}(?:([-*•])|\d{1,3}[.)])\s+(\S.*)$/;
const FENCE = /^\s*```/;
const SAFE = new Set(['http:', 'https:', 'mailto:']);

export function markdown(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let plain: string[] = [];
  const flush = () => {
    const joined = plain.join('\n').replace(/^\n+|\n+$/g, '');
    plain = [];
    if (joined) blocks.push({ kind: 'words', parts: inline(joined) });
  };
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (FENCE.test(line)) {
      flush();
      const end = lines.findIndex((later, index) => index > at && FENCE.test(later));
      const stop = end < 0 ? lines.length : end;
      blocks.push({ kind: 'code', text: lines.slice(at + 1, stop).join('\n') });
      at = stop;
      continue;
    }
    const item = ITEM.exec(line);
    if (item) {
      flush();
      addItem(blocks, !item[1], inline(item[2] ?? ''));
    } else {
      plain.push(line);
    }
  }
  flush();
  return blocks;
}

/** The words alone, as they are read aloud. */
export function plain(text: string): string {
  const word = (part: Inline): string => ('parts' in part ? sentence(part.parts) : part.text);
  const sentence = (parts: readonly Inline[]): string => parts.map(word).join('');
  const told = (block: Block): string => {
    if (block.kind === 'code') return block.text;
    return block.kind === 'words' ? sentence(block.parts) : block.items.map(sentence).join('\n');
  };
  return markdown(text).map(told).join('\n');
}

function addItem(blocks: Block[], ordered: boolean, item: readonly Inline[]): void {
  const last = blocks.at(-1);
  if (last?.kind === 'list' && last.ordered === ordered) {
    blocks[blocks.length - 1] = { ...last, items: [...last.items, item] };
  } else {
    blocks.push({ kind: 'list', ordered, items: [item] });
  }
}

/** Takes the first mark, whichever it is; what stands within it may be marked again. */
function inline(text: string): readonly Inline[] {
  const parts: Inline[] = [];
  const searches = RULES.map(search(text));
  let from = 0;
  for (;;) {
    const first = firstMark(searches, from);
    if (!first) break;
    if (first.at > from) parts.push({ kind: 'text', text: text.slice(from, first.at) });
    parts.push(first.part);
    from = first.at + first.length;
  }
  if (from < text.length) parts.push({ kind: 'text', text: text.slice(from) });
  return parts;
}

interface Mark {
  readonly at: number;
  readonly length: number;
  readonly part: Inline;
}

function firstMark(searches: readonly ((from: number) => Found | null)[], from: number): Mark | null {
  let first: Found | null = null;
  for (const next of searches) {
    const found = next(from);
    if (found && (!first || found.at.index < first.at.index)) first = found;
  }
  if (!first) return null;
  const [whole] = first.at;
  return { at: first.at.index, length: whole.length, part: first.make(first.at) ?? { kind: 'text', text: whole } };
}

interface Found {
  readonly at: RegExpExecArray;
  readonly make: (found: RegExpExecArray) => Inline | null;
}

/** The first place of a rule from some letter on. What was found, or that nothing was, holds until it is passed. */
function search(text: string): (rule: (typeof RULES)[number]) => (from: number) => Found | null {
  return ([pattern, make]) => {
    let known: RegExpExecArray | null | undefined;
    return (from) => {
      if (known === undefined || (known && known.index < from)) {
        pattern.lastIndex = from;
        known = pattern.exec(text);
      }
      return known && { at: known, make };
    };
  };
}

/** Null: it leads to nothing that a page may open. */
function link(href: string, parts: readonly Inline[]): Inline | null {
  const url = URL.canParse(href) ? new URL(href) : null;
  return url && SAFE.has(url.protocol) ? { kind: 'link', href: url.href, parts } : null;
}

function rule(source: string): RegExp {
  return new RegExp(source.replaceAll('N', String(LONGEST)), 'gs');
}
