/** Tells of a microphone or a camera that is lost in a call, and opens the choice of another one. */
import { useLocalParticipant, useRoomContext } from '@livekit/components-react';
import { type RefObject, useEffect } from 'react';
import { watchLost } from '../devices/lostDevices';
import { deviceLost } from '../session/callProblems';
import { isOver } from '../session/isOver';
import { useReporter } from '../toasts/reporter';

export function useLostDevices(choice: RefObject<HTMLElement | null>): void {
  const room = useRoomContext();
  const { localParticipant } = useLocalParticipant();
  const { report } = useReporter();
  useEffect(
    () =>
      watchLost(localParticipant, (device) => {
        if (isOver(room)) return;
        report(deviceLost(device));
        const open = choice.current?.matches(':popover-open');
        if (!open && !document.querySelector('dialog[open]')) choice.current?.showPopover();
      }),
    [localParticipant, room, report, choice],
  );
}
