/** What was said, to read once more, to copy, to keep, or to forget. */
import { useState } from 'react';
import { callExport, exportName } from '../call/callExport';
import { Said } from '../call/Said';
import { saveFile } from '../call/saveFile';
import type { ConversationState, Line } from '../conversation/conversation';
import { lineText } from '../conversation/lineWords';
import { useReporter } from '../toasts/reporter';
import { duration } from '../ui/format';
import { Icon } from '../ui/Icon';
import { words } from '../words/words';
import { transcriptText } from './transcript';

interface Props {
  readonly conversation: ConversationState;
  readonly room: string;
  readonly durationMs: number;
  /** There may be a record of it. */
  readonly recorded: boolean;
  readonly remove: () => void;
}

export function PastTranscript({ conversation, room, durationMs, recorded, remove }: Props) {
  const { report } = useReporter();
  const [copied, setCopied] = useState(false);
  const { before, lines } = conversation;
  const text = () => {
    const when = new Date().toLocaleString(document.documentElement.lang);
    const title = words.after.transcriptTitle(words.about.name, when, duration(durationMs));
    return transcriptText(title, before, lines);
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      setCopied(true);
    } catch {
      report({ code: 'not-copied', ...words.after.notCopied });
    }
  };
  const saveText = () => saveFile(exportName(room, now(), 'txt'), text(), 'text/plain');
  const saveJson = () => {
    const savedAt = now();
    const json = JSON.stringify(callExport(conversation, room, savedAt), null, 2);
    saveFile(exportName(room, savedAt), json, 'application/json');
  };
  if (before.length === 0 && lines.length === 0) {
    return (
      <section className="after-nothing">
        <p>{words.after.nothing}</p>
        {recorded && (
          <button type="button" className="secondary" data-testid="forget" onClick={remove}>
            {words.records.remove}
          </button>
        )}
      </section>
    );
  }
  return (
    <section className="after-said" aria-labelledby="after-said-title">
      <header>
        <h2 id="after-said-title">{words.after.transcript}</h2>
        <div className="after-tools">
          {canCopy() && (
            <button type="button" data-testid="copy" onClick={() => void copy()}>
              <span role="status">{copied ? words.after.copied : words.after.copy}</span>
            </button>
          )}
          <button type="button" data-testid="download-text" title={words.after.asTextHint} onClick={saveText}>
            <Icon name="download" /> {words.after.asText}
          </button>
          <button type="button" data-testid="download" title={words.after.asJsonHint} onClick={saveJson}>
            <Icon name="download" /> {words.after.asJson}
          </button>
          <button type="button" data-testid="forget" title={words.after.removeHint} onClick={remove}>
            {words.after.remove}
          </button>
        </div>
      </header>
      {before.length > 0 && <h3>{words.captions.before}</h3>}
      <Lines lines={before} />
      {before.length > 0 && lines.length > 0 && <hr />}
      <Lines lines={lines} />
    </section>
  );
}

function Lines({ lines }: { lines: readonly Line[] }) {
  return (
    <ol>
      {lines.map((line) => (
        <li key={line.key} data-side={line.side}>
          <b>{line.side === 'agent' ? words.captions.agent : words.captions.you}</b>
          <div dir="auto" lang={line.lang}>
            <div className="said">
              <Said side={line.side} text={lineText(line)} />
            </div>
            {line.mark && <small> {words.after.marks[line.mark]}</small>}
          </div>
        </li>
      ))}
    </ol>
  );
}

/** Browsers keep the clipboard from pages of plain http addresses. */
function canCopy(): boolean {
  return Boolean(navigator.clipboard as Clipboard | undefined);
}

function now(): string {
  return new Date().toISOString();
}
