/** Questions to begin with, as long as nobody has asked anything in this call. */
import { ConnectionState } from 'livekit-client';
import { useState } from 'react';
import type { FirstQuestion } from '../session/choices';
import type { Call } from '../session/openCall';
import { deviceProblem } from '../session/problems';
import { Chips } from '../start/Chips';
import { useReporter } from '../toasts/reporter';

export function CallChips({ call }: { call: Call }) {
  const { report } = useReporter();
  const [asked, setAsked] = useState(call.isAsking);
  if (asked) return null;
  const ask = (question: FirstQuestion) => {
    setAsked(true);
    if (!question.aboutPicture) return call.ask(question);
    const { room } = call;
    const isOver = () => room.state === ConnectionState.Disconnected;
    const filmed = call.brought.camera.then(() =>
      isOver() ? undefined : room.localParticipant.setCameraEnabled(true),
    );
    filmed.then(
      () => {
        if (!isOver()) call.ask(question);
      },
      (error) => {
        if (isOver()) return;
        report(deviceProblem('camera', error));
        call.ask({ ...question, aboutPicture: false }); // nothing will be seen: it says so at once
      },
    );
  };
  return <Chips ask={ask} />;
}
