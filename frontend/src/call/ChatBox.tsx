/** Types to the agent instead of speaking. */
import { type FormEvent, type RefObject, useState } from 'react';
import { MESSAGE_NOT_SENT } from '../session/problems';
import { useReporter } from '../toasts/reporter';
import { Icon } from '../ui/Icon';

interface Props {
  readonly box: RefObject<HTMLInputElement | null>;
  readonly send: (text: string) => Promise<void>;
  readonly agentHears: boolean;
}

export function ChatBox({ box, send, agentHears }: Props) {
  const [text, setText] = useState('');
  const { report, withdraw } = useReporter();
  const ready = agentHears && text.trim() !== '';

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!ready) return;
    setText('');
    try {
      await send(text.trim());
      withdraw(MESSAGE_NOT_SENT.code);
    } catch {
      setText((newer) => newer || text);
      report(MESSAGE_NOT_SENT);
    }
  };
  return (
    <form className="chat" onSubmit={submit}>
      <input
        ref={box}
        data-testid="chat-input"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
        placeholder={agentHears ? 'Type to AURA' : 'You can type once AURA is here'}
        aria-label="Type to AURA"
        aria-keyshortcuts="/"
        autoComplete="off"
        enterKeyHint="send"
        maxLength={2000}
      />
      <button type="submit" data-testid="chat-send" disabled={!ready} aria-label="Send" title="Send">
        <Icon name="send" />
      </button>
    </form>
  );
}
