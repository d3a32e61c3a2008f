/** In place of microphone and camera at an address that can never have them: that one types here, and why. */
import { words } from '../words/words';

export function TypingOnly() {
  return (
    <div className="typing-only" data-testid="typing-only">
      <strong>{words.door.typingOnly}</strong>
      <p>{words.door.typingOnlyWhy}</p>
    </div>
  );
}
