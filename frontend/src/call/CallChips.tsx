/** Questions to begin with, as long as nobody has asked anything in this call. */
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
    const filmed = call.brought.camera.then(() => call.room.localParticipant.setCameraEnabled(true));
    filmed.then(
      () => call.ask(question),
      (error) => {
        report(deviceProblem('camera', error));
        call.ask({ ...question, aboutPicture: false }); // nothing will be seen: it says so at once
      },
    );
  };
  return <Chips ask={ask} />;
}
