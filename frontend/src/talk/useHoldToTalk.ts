/** Opens and closes the microphone of a call as the person talks: also while the space bar or a button is held. */
import { useRoomContext } from '@livekit/components-react';
import { useEffect, useReducer, useRef } from 'react';
import { isOver } from '../session/isOver';
import { deviceProblem } from '../session/problems';
import { useReporter } from '../toasts/reporter';
import { type HoldEvent, held, holdsToTalk, microphoneIn, NOBODY, type TalkMode } from './holdToTalk';

const PRESSES_ITSELF = 'input, textarea, select, button, a, summary, [role=switch], dialog, [popover]';

export interface HoldToTalk {
  readonly open: boolean;
  dispatch(event: HoldEvent): void;
}

/** @param coming settles when the microphone that was chosen at the door is there: until then there is none to turn. */
export function useHoldToTalk(mode: TalkMode, coming: Promise<boolean>): HoldToTalk {
  const room = useRoomContext();
  const { report } = useReporter();
  const [holding, dispatch] = useReducer(held, NOBODY);
  const on = mode === 'held';
  const before = useRef<TalkMode | null>(null);
  const turned = useRef<Promise<unknown>>(coming);

  useEffect(() => {
    const open = microphoneIn(mode, before.current, holding);
    before.current = mode;
    if (open === null) return;
    // One after the other: of a press and a release that come close together the release must win.
    turned.current = turned.current
      .then(() => (isOver(room) ? undefined : room.localParticipant.setMicrophoneEnabled(open)))
      .catch((error: unknown) => {
        if (!isOver(room)) report(deviceProblem('microphone', error));
      });
  }, [mode, holding, room, report]);

  useEffect(() => {
    if (!on) return;
    const pressed = (event: KeyboardEvent) => {
      const target = event.target instanceof Element ? event.target : null;
      const elsewhere = Boolean(target?.closest(PRESSES_ITSELF)) || document.querySelector('dialog[open]') !== null;
      const modified = event.ctrlKey || event.metaKey || event.altKey;
      if (!holdsToTalk({ key: event.key, modified, elsewhere })) return;
      event.preventDefault();
      dispatch({ type: 'press', holder: 'key' });
    };
    const released = (event: KeyboardEvent) => {
      if (event.key === ' ') dispatch({ type: 'release', holder: 'key' });
    };
    const dropped = () => dispatch({ type: 'dropped' });
    window.addEventListener('keydown', pressed);
    window.addEventListener('keyup', released);
    window.addEventListener('blur', dropped);
    document.addEventListener('visibilitychange', dropped);
    return () => {
      dropped();
      window.removeEventListener('keydown', pressed);
      window.removeEventListener('keyup', released);
      window.removeEventListener('blur', dropped);
      document.removeEventListener('visibilitychange', dropped);
    };
  }, [on]);
  return { open: holding.size > 0, dispatch };
}
