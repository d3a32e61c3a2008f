/** Types to the agent instead of speaking, and asks about a picture that is pasted or dropped. */
import { type DragEvent, type FormEvent, type RefObject, useEffect, useRef, useState } from 'react';
import type { Picture } from '../pictures/prepare';
import { pictureNotShown } from '../pictures/problems';
import { useAttachment } from '../pictures/useAttachment';
import { messageNotSent } from '../session/callProblems';
import { useSettings } from '../settings/store';
import { keptInTab } from '../storage/storage';
import { useReporter } from '../toasts/reporter';
import { Icon } from '../ui/Icon';
import { words } from '../words/words';
import { keepDraft, keptDraft } from './draft';

interface Props {
  readonly box: RefObject<HTMLInputElement | null>;
  readonly send: (text: string) => Promise<void>;
  readonly show: (jpeg: Blob, text: string) => Promise<void>;
  /** What is sent now reaches it; until then it waits here. */
  readonly agentHears: boolean;
  /** It looks at pictures; null: not known. */
  readonly sees: boolean | null;
}

export function ChatBox({ box, send, show, agentHears, sees }: Props) {
  const [text, setText] = useState(() => keptDraft(keptInTab));
  const [waits, setWaits] = useState(false);
  const [over, setOver] = useState(false);
  const { picture, take, remove } = useAttachment(sees);
  const { report, withdraw } = useReporter();
  const { letterKeys } = useSettings();
  const [underWay, setUnderWay] = useState<Picture | null>(null);
  const unsent = picture === underWay ? null : picture;
  const full = text.trim() !== '' || unsent !== null;
  useEffect(() => keepDraft(keptInTab, text), [text]);

  const deliver = async () => {
    setText('');
    setUnderWay(unsent ?? underWay);
    const failed = unsent ? pictureNotShown : messageNotSent;
    try {
      if (unsent) await show(unsent.jpeg, text.trim() || words.showing.about);
      else await send(text.trim());
      if (unsent) remove(unsent);
      withdraw(failed(null).code);
    } catch (error) {
      setUnderWay((newer) => (newer === unsent ? null : newer));
      setText((newer) => newer || text);
      report(failed(error));
    }
  };
  const deliverNow = useRef(deliver);
  useEffect(() => {
    deliverNow.current = deliver;
  });
  useEffect(() => {
    if (!waits || !agentHears) return;
    setWaits(false);
    void deliverNow.current();
  }, [waits, agentHears]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!full) return;
    if (agentHears) void deliver();
    else setWaits(true);
  };
  const write = (newer: string) => {
    setText(newer);
    setWaits(false); // until they send it once more
  };
  const dragged = (event: DragEvent, inside: boolean) => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    setOver(inside);
  };
  const takeOut = () => {
    if (picture) remove(picture);
    box.current?.focus(); // what was pressed is gone
  };
  return (
    <form
      className="chat"
      data-over={over}
      data-picture={picture !== null}
      onSubmit={submit}
      onDragOver={(event) => dragged(event, true)}
      onDragLeave={(event) => dragged(event, false)}
      onDrop={(event) => {
        dragged(event, false);
        if (take(event.dataTransfer)) box.current?.focus();
      }}
    >
      {picture && (
        <span className="attached" data-testid="attached">
          <img src={picture.url} alt={words.showing.thumbnail} />
          <button type="button" aria-label={words.showing.remove} title={words.showing.remove} onClick={takeOut}>
            <Icon name="close" />
          </button>
        </span>
      )}
      <input
        ref={box}
        data-testid="chat-input"
        value={text}
        onChange={(event) => write(event.target.value)}
        onPaste={(event) => take(event.clipboardData) && event.preventDefault()}
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
        placeholder={placeholder(agentHears, over, picture !== null)}
        aria-label={words.call.typeTo}
        aria-keyshortcuts={letterKeys ? '/' : undefined}
        dir="auto"
        autoComplete="off"
        enterKeyHint="send"
        maxLength={2000}
      />
      <button
        type="submit"
        className="send"
        data-testid="chat-send"
        aria-disabled={!full || waits}
        aria-label={words.call.send}
        title={words.call.send}
      >
        <Icon name="send" />
      </button>
      <p className="waits" role="status" data-testid="chat-waits" hidden={!waits}>
        {waits && words.call.typedWaits}
      </p>
    </form>
  );
}

function placeholder(agentHears: boolean, over: boolean, pictured: boolean): string {
  if (!agentHears) return words.call.typeLater;
  if (over) return words.showing.drop;
  return pictured ? words.showing.ask : words.call.typeTo;
}
