/** What is wrong with the call now, and what can be done; there is one at a time. */
import { useRoomContext } from '@livekit/components-react';
import { Icon } from '../ui/Icon';
import { words } from '../words/words';
import type { Trouble } from './trouble';

interface Props {
  readonly trouble: Trouble | null;
  readonly rejoin: () => void;
  readonly anew: () => void;
}

export function Banner({ trouble, rejoin, anew }: Props) {
  const room = useRoomContext();
  const actions = {
    return: { name: words.call.again.return, act: rejoin },
    anew: { name: words.call.again.anew, act: anew },
    unlock: { name: words.call.again.unlock, act: () => void room.startAudio() },
  };
  const action = trouble?.action && actions[trouble.action];
  return (
    <div className="banner-place" role="status">
      {trouble && (
        <div className="banner" data-testid="banner" data-code={trouble.code}>
          <Icon name={trouble.action === 'unlock' ? 'volume' : 'alert'} />
          <p>{trouble.text}</p>
          {action && (
            <button type="button" className="primary" data-testid="again" onClick={action.act}>
              {action.name}
            </button>
          )}
        </div>
      )}
    </div>
  );
}
