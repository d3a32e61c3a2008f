/** The frame of everything before a call: name, one line, and the card of the moment. */
import type { ReactNode } from 'react';
import { ThemeToggle } from '../theme/ThemeToggle';

export function Door({ children }: { children: ReactNode }) {
  return (
    <main className="door">
      <div className="door-corner">
        <ThemeToggle />
      </div>
      <div className="dawn" aria-hidden="true">
        <div className="sun" />
      </div>
      <header className="door-name">
        <h1>AURA</h1>
        <p>A voice to talk with. Speak, type or show it something, and interrupt it whenever you like.</p>
      </header>
      <div className="door-card">{children}</div>
    </main>
  );
}
