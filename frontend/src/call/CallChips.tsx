/** Questions to begin with, as long as nobody has asked anything in this call. */
import { useState } from 'react';
import type { FirstQuestion } from '../session/choices';
import { isOver } from '../session/isOver';
import type { Call } from '../session/openCall';
import { deviceProblem } from '../session/problems';
import { Chips } from '../start/Chips';
import { useReporter } from '../toasts/reporter';

export function CallChips({ call }: { call: Call }) {
  const { report } = useReporter();
  const [asked, setAsked] = useState(call.isAsking);
  if (asked) return null;
  const { room } = call;
  const askAboutPicture = async (question: FirstQuestion) => {
    let seen = true;
    try {
      await call.brought.camera;
      if (!isOver(room)) await room.localParticipant.setCameraEnabled(true);
    } catch (error) {
      seen = false; // it says so at once
      if (!isOver(room)) report(deviceProblem('camera', error));
    }
    if (!isOver(room)) call.ask({ ...question, aboutPicture: seen });
  };
  const ask = (question: FirstQuestion) => {
    setAsked(true);
    if (question.aboutPicture) void askAboutPicture(question);
    else call.ask(question);
  };
  return <Chips ask={ask} />;
}
