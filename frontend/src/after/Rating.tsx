/** Two thumbs, and a sentence for who likes to say why. A thumb counts at once. */
import { useRef, useState } from 'react';
import { words } from '../words/words';
import { type Feedback, MOST_LETTERS, sendFeedback } from './sendFeedback';

type Sent = 'nothing' | 'thumb' | 'sentence' | 'failed';

export function Rating({ token }: { token: string }) {
  const [thumb, setThumb] = useState<Feedback['thumb'] | null>(null);
  const [sentence, setSentence] = useState('');
  const [sent, setSent] = useState<Sent>('nothing');
  const status = useRef<HTMLParagraphElement>(null);
  const send = async (feedback: Feedback, what: Sent): Promise<boolean> => {
    const taken = await sendFeedback(token, feedback);
    setSent(taken ? what : 'failed');
    return taken;
  };
  const choose = (chosen: Feedback['thumb']) => {
    setThumb(chosen);
    void send({ thumb: chosen, sentence }, 'thumb');
  };
  return (
    <section className="after-rating" aria-labelledby="after-rating-title">
      <h2 id="after-rating-title">{words.after.rate}</h2>
      <div className="after-thumbs">
        <Thumb up chosen={thumb === 'up'} choose={() => choose('up')} />
        <Thumb up={false} chosen={thumb === 'down'} choose={() => choose('down')} />
      </div>
      {thumb && sent !== 'sentence' && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            // The form goes, and the focus with it, if it is not taken elsewhere.
            void send({ thumb, sentence }, 'sentence').then((taken) => taken && status.current?.focus());
          }}
        >
          <label>
            {words.after.why[thumb]}
            <textarea
              dir="auto"
              rows={2}
              maxLength={MOST_LETTERS}
              value={sentence}
              onChange={({ target }) => setSentence(target.value)}
            />
          </label>
          <p className="fine">{words.after.whyNote}</p>
          <button type="submit" className="secondary" disabled={!sentence.trim()}>
            {words.after.send}
          </button>
        </form>
      )}
      <p ref={status} tabIndex={-1} role="status" data-testid="rated" data-sent={sent}>
        {STATUS[sent]()}
      </p>
    </section>
  );
}

const STATUS: Record<Sent, () => string> = {
  nothing: () => '',
  thumb: () => words.after.noted,
  sentence: () => words.after.thanks,
  failed: () => words.after.notSent,
};

function Thumb({ up, chosen, choose }: { up: boolean; chosen: boolean; choose: () => void }) {
  return (
    <button type="button" aria-pressed={chosen} data-testid={up ? 'thumb-up' : 'thumb-down'} onClick={choose}>
      <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" transform={up ? undefined : 'rotate(180)'}>
        <path d="M7 11v9H4v-9zM7 11l4-8c1.7 0 2.6 1.2 2.3 2.8L12.7 9H18c1.4 0 2.3 1.2 2 2.5l-1.5 6.7c-.2 1-1.1 1.8-2.2 1.8H7" />
      </svg>
      {up ? words.after.good : words.after.poor}
    </button>
  );
}
