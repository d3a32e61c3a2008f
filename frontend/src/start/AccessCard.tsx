/** Whoever calls from another device says the password, or signs in elsewhere; then the call goes on. */
import { useEffect, useState } from 'react';
import { enter } from '../session/access';
import { focusHeading } from '../ui/useArrivalFocus';
import { words } from '../words/words';

interface Props {
  /** What the server wants to be shown. */
  readonly by: 'password' | 'sign_in';
  readonly again: () => void;
  readonly back: () => void;
}

export function AccessCard({ by, again, back }: Props) {
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState('');
  const [asking, setAsking] = useState(false);
  const told = words.door.access;
  useEffect(focusHeading, []); // it is fetched, and so comes after its screen
  const send = async () => {
    if (asking) return;
    setAsking(true);
    const refused = await enter(password);
    setAsking(false);
    if (refused === null) again();
    else setProblem(told.problems[refused] ?? told.problems.other ?? '');
  };
  return (
    <form
      className="card"
      data-testid="access"
      data-by={by}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <p className="card-title" data-arrival="">
        {by === 'password' ? told.password : told.signIn}
      </p>
      <p>{by === 'password' ? told.passwordAdvice : told.signInAdvice}</p>
      {by === 'password' && (
        <input
          type="password"
          autoComplete="current-password"
          aria-label={told.passwordLabel}
          data-testid="password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      )}
      <p role="alert" className="fine" data-testid="access-problem">
        {problem}
      </p>
      <div className="row">
        {by === 'password' ? (
          <button type="submit" className="primary" data-testid="enter" disabled={!password} aria-disabled={asking}>
            {told.enter}
          </button>
        ) : (
          <a className="primary" data-testid="enter" href={`/api/access/sign-in${window.location.search}`}>
            {told.signInNow}
          </a>
        )}
        <button type="button" className="secondary" onClick={back}>
          {words.door.back}
        </button>
      </div>
    </form>
  );
}
