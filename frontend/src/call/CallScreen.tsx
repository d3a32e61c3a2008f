/** The call: who speaks, what was said, and the controls; one room for all its parts. */
import { RoomContext } from '@livekit/components-react';
import { useRef, useState } from 'react';
import { useAgent } from '../agent/useAgent';
import { useConversation } from '../conversation/useConversation';
import type { Call } from '../session/openCall';
import { Banner } from './Banner';
import { Captions } from './Captions';
import { ChatBox } from './ChatBox';
import { Controls } from './Controls';
import { DetailsPanel } from './DetailsPanel';
import { LeaveDialog } from './LeaveDialog';
import { RoomAudio } from './RoomAudio';
import { SelfView } from './SelfView';
import { Stage } from './Stage';
import { TopBar } from './TopBar';
import { useKeepAwake } from './useKeepAwake';
import { useTrouble } from './useTrouble';

interface Props {
  readonly call: Call;
  readonly leave: () => void;
  /** Joins the same call again. */
  readonly rejoin: () => void;
  /** Drops this call, and begins another. */
  readonly anew: () => void;
}

export function CallScreen(props: Props) {
  return (
    <RoomContext value={props.call.room}>
      <InCall {...props} />
    </RoomContext>
  );
}

function InCall({ call, leave, rejoin, anew }: Props) {
  const agent = useAgent();
  const conversation = useConversation(call.conversation);
  const [details, setDetails] = useState(() => window.matchMedia('(min-width: 1100px)').matches);
  const leaving = useRef<HTMLDialogElement>(null);
  const chat = useRef<HTMLInputElement>(null);
  const trouble = useTrouble(agent);
  useKeepAwake();
  return (
    <main className="call" data-details={details}>
      <TopBar waits={conversation.waits} details={details} toggleDetails={() => setDetails(!details)} />
      <div className="call-main">
        <Stage
          agent={agent}
          trouble={trouble}
          decision={conversation.decisions.at(-1)}
          typed={conversation.lines.findLast(({ side }) => side === 'user')?.typed ?? false}
        />
        <Banner trouble={trouble} rejoin={rejoin} anew={anew} />
        <Captions before={conversation.before} lines={conversation.lines} />
        <SelfView sees={agent.sees} />
      </div>
      <DetailsPanel
        agent={agent}
        conversation={conversation}
        startedMs={call.startedMs}
        close={() => setDetails(false)}
      />
      <footer className="dock">
        <ChatBox
          box={chat}
          send={call.conversation.type}
          agentHears={agent.participant !== undefined && !trouble?.title}
        />
        <Controls
          leave={leave}
          askToLeave={() => leaving.current?.showModal()}
          focusChat={() => chat.current?.focus()}
        />
      </footer>
      <LeaveDialog dialog={leaving} leave={leave} />
      <RoomAudio />
    </main>
  );
}
