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
  [/`([^`\n]+)`/, ([, text = '']) => ({ kind: 'code', text })],
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
  [/https?:\/\/[^\s<>]{0,400}[^\s<>.,;:!?()[\]*_'"]/, ([href]) => link(href, [{ kind: 'text', text: href }])],
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
  let rest = text;
  while (rest) {
    const first = firstMark(rest);
    if (!first) break;
    if (first.at > 0) parts.push({ kind: 'text', text: rest.slice(0, first.at) });
    parts.push(first.part);
    rest = rest.slice(first.at + first.length);
  }
  if (rest) parts.push({ kind: 'text', text: rest });
  return parts;
}

function firstMark(text: string): { at: number; length: number; part: Inline } | null {
  let first: { found: RegExpExecArray; make: (found: RegExpExecArray) => Inline | null } | null = null;
  for (const [pattern, make] of RULES) {
    const found = pattern.exec(text);
    if (found && (!first || found.index < first.found.index)) first = { found, make };
  }
  if (!first) return null;
  const { found, make } = first;
  return { at: found.index, length: found[0].length, part: make(found) ?? { kind: 'text', text: found[0] } };
}

/** Null: it leads to nothing that a page may open. */
function link(href: string, parts: readonly Inline[]): Inline | null {
  const url = URL.canParse(href) ? new URL(href) : null;
  return url && SAFE.has(url.protocol) ? { kind: 'link', href: url.href, parts } : null;
}

function rule(source: string): RegExp {
  return new RegExp(source.replaceAll('N', String(LONGEST)), 's');
}
