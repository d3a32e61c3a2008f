/** Types to the agent instead of speaking, and asks about a picture that is pasted or dropped. */
import { type DragEvent, type FormEvent, type RefObject, useState } from 'react';
import { pictureNotShown } from '../pictures/problems';
import { useAttachment } from '../pictures/useAttachment';
import { messageNotSent } from '../session/callProblems';
import { useReporter } from '../toasts/reporter';
import { Icon } from '../ui/Icon';
import { words } from '../words/words';

interface Props {
  readonly box: RefObject<HTMLInputElement | null>;
  readonly send: (text: string) => Promise<void>;
  readonly show: (jpeg: Blob, text: string) => Promise<void>;
  readonly agentHears: boolean;
  /** It looks at pictures; null: not known. */
  readonly sees: boolean | null;
}

export function ChatBox({ box, send, show, agentHears, sees }: Props) {
  const [text, setText] = useState('');
  const [over, setOver] = useState(false);
  const { picture, take, remove } = useAttachment(sees);
  const { report, withdraw } = useReporter();
  const ready = agentHears && (text.trim() !== '' || picture !== null);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!ready) return;
    setText('');
    const failed = picture ? pictureNotShown : messageNotSent;
    try {
      if (picture) await show(picture.jpeg, text.trim() || words.showing.about);
      else await send(text.trim());
      if (picture) remove();
      withdraw(failed(null).code);
    } catch (error) {
      setText((newer) => newer || text);
      report(failed(error));
    }
  };
  const dragged = (event: DragEvent, inside: boolean) => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    setOver(inside);
  };
  const takeOut = () => {
    remove();
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
        onChange={(event) => setText(event.target.value)}
        onPaste={(event) => take(event.clipboardData) && event.preventDefault()}
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
        placeholder={placeholder(agentHears, over, picture !== null)}
        aria-label={words.call.typeTo}
        aria-keyshortcuts="/"
        autoComplete="off"
        enterKeyHint="send"
        maxLength={2000}
      />
      <button
        type="submit"
        className="send"
        data-testid="chat-send"
        disabled={!ready}
        aria-label={words.call.send}
        title={words.call.send}
      >
        <Icon name="send" />
      </button>
    </form>
  );
}

function placeholder(agentHears: boolean, over: boolean, pictured: boolean): string {
  if (!agentHears) return words.call.typeLater;
  if (over) return words.showing.drop;
  return pictured ? words.showing.ask : words.call.typeTo;
}
