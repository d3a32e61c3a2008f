/** Lines of the conversation, one below the other. */
import type { Line } from '../conversation/conversation';
import { CaptionLine } from './CaptionLine';

interface Props {
  readonly lines: readonly Line[];
  /** Asks a question again that was left open; absent: it is not offered. */
  readonly ask?: ((text: string) => void) | undefined;
}

export function Script({ lines, ask }: Props) {
  return (
    <ol>
      {lines.map((line, index) => (
        <CaptionLine key={line.key} line={line} continues={lines[index - 1]?.side === line.side} ask={ask} />
      ))}
    </ol>
  );
}
