/** The words of a line: the agent's with what it marked, the person's as they are. */
import { Children, type ReactNode } from 'react';
import type { Line } from '../conversation/conversation';
import { type Block, type Inline, markdown } from './markdown';

export function Said({ side, text }: Pick<Line, 'side' | 'text'>): ReactNode {
  return side === 'agent' ? Children.toArray(markdown(text).map(block)) : text;
}

function block(part: Block): ReactNode {
  switch (part.kind) {
    case 'words':
      return Children.toArray(part.parts.map(inline));
    case 'code':
      return <pre>{part.text}</pre>;
    case 'list': {
      const items = Children.toArray(part.items.map(listItem));
      return part.ordered ? <ol>{items}</ol> : <ul>{items}</ul>;
    }
  }
}

function listItem(parts: readonly Inline[]): ReactNode {
  return <li>{Children.toArray(parts.map(inline))}</li>;
}

function inline(part: Inline): ReactNode {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'code':
      return <code>{part.text}</code>;
    case 'bold':
      return <strong>{Children.toArray(part.parts.map(inline))}</strong>;
    case 'italic':
      return <em>{Children.toArray(part.parts.map(inline))}</em>;
    case 'link':
      return (
        <a href={part.href} target="_blank" rel="noopener noreferrer">
          {Children.toArray(part.parts.map(inline))}
        </a>
      );
  }
}
