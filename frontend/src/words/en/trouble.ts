/** What goes wrong with a call: that it does not begin, ends, or comes to a halt for a while. */
export const trouble = {
  notConnected: 'The call could not be connected',
  notConnectedAdvice:
    'Something between you and AURA may block it, such as a VPN. Try again without it, or in a moment.',
  /** `detail`: what the library says of the failure, or empty. */
  notConnectedTechnical: (detail: string) =>
    `LiveKit’s server could not be joined: is it running, and do its ports get through the firewall? ${detail}`.trim(),
  notSent: 'Your message was not sent',
  notSentAdvice: 'It is still in the box. Send it again when the connection is back.',
  pipelineStopped: 'AURA has broken down',
  pipelineStoppedAdvice: 'What hears and answers has stopped, and the call with it. Call again in a moment.',
  pipelineStoppedTechnical: 'The end of .aura/logs/pipeline.log says why. infra/up starts it again.',
  callAgain: 'Call again',
  elsewhere: 'The call goes on elsewhere',
  elsewhereAdvice: 'It was opened in another tab or window.',
  bringHere: 'Bring it here',
  goodbye: 'AURA has said goodbye',
  ended: 'The call was ended by the server',
  endedAdvice: 'Call again whenever you like.',
  endedTechnical: 'The room was closed, or its agent was removed. If AURA has been stopped, infra/up starts it.',
  restarting: 'The server is restarting',
  restartingAdvice: 'Wait a few seconds, then try again.',
  lost: 'The connection was lost',
  lostAdvice: 'Check your network, then try again: the call waits a little for you.',
  connection: 'Connection lost',
  reconnecting: 'Reconnecting. Nothing that you say now is heard.',
  stillTrying: 'The server does not answer. Still trying; nothing that you say now is heard.',
  cutOff: 'AURA was cut off',
  calledBack: 'It is being called back. What you say until then is not heard.',
  notBack: 'AURA has not come back.',
  waiting: 'Waiting for AURA',
  notJoined: 'AURA has not joined. It may still be starting: wait a little, or start a new call.',
  cannotAnswer: 'AURA cannot answer now',
  soundBlocked: 'The browser holds the sound back: AURA speaks, and you do not hear it.',
  /** What the agent complains about, by its English sentence; a sentence that is not here is shown as it came. */
  complaints: {} as Readonly<Record<string, string>>,
};
