/** The call: who speaks, what was said, and the controls; one room for all its parts. */
import { RoomContext } from '@livekit/components-react';
import { useCallback, useRef, useState } from 'react';
import type { AgentState } from '../agent/attributes';
import { useAgent } from '../agent/useAgent';
import { useConversation } from '../conversation/useConversation';
import type { Turned } from '../session/choices';
import type { Call } from '../session/openCall';
import { useSettings } from '../settings/store';
import { useTalkMode } from '../talk/useTalkMode';
import { Banner } from './Banner';
import { CallChips } from './CallChips';
import { Captions } from './Captions';
import { ChatBox } from './ChatBox';
import { Controls } from './Controls';
import { DetailsPanel } from './DetailsPanel';
import { LeaveDialog } from './LeaveDialog';
import { RoomAudio } from './RoomAudio';
import { SelfView } from './SelfView';
import { Stage } from './Stage';
import { needsMore } from './scriptRoom';
import { TopBar } from './TopBar';
import { useCallDevices } from './useCallDevices';
import { useCallPersona } from './useCallPersona';
import { useDetails } from './useDetails';
import { useKeepAwake } from './useKeepAwake';
import { useTrouble } from './useTrouble';

interface Props {
  readonly call: Call;
  readonly turned: (change: Turned) => void;
  readonly leave: () => void;
  /** Joins the same call again. */
  readonly rejoin: () => void;
  /** Drops this call, and begins another. */
  readonly anew: () => void;
}

/** Whether it takes what is written; while it prepares, it may not. */
const hears = (state: AgentState) => state !== 'absent' && state !== 'preparing';

/** As long as there are fewer lines, the stage takes more room than they do. */
const FEW_LINES = 4;

/** The share of the window's height that it then has, as call.css has it. */
const LARGE_STAGE = 0.46;

export function CallScreen(props: Props) {
  return (
    <RoomContext value={props.call.room}>
      <InCall {...props} />
    </RoomContext>
  );
}

function InCall({ call, turned, leave, rejoin, anew }: Props) {
  const agent = useAgent();
  const conversation = useConversation(call.conversation);
  const [details, setDetails] = useDetails();
  const main = useRef<HTMLDivElement>(null);
  const [overflows, setOverflows] = useState(false);
  const measured = useCallback((wordsPx: number, boxPx: number) => {
    const stage = main.current?.querySelector('.stage');
    if (!stage) return;
    const roomPx = boxPx + stage.clientHeight - innerHeight * LARGE_STAGE;
    setOverflows((needed) => needsMore(needed, wordsPx, roomPx));
  }, []);
  const leaving = useRef<HTMLDialogElement>(null);
  const chat = useRef<HTMLInputElement>(null);
  const detailsButton = useRef<HTMLButtonElement>(null);
  const trouble = useTrouble(agent);
  const { readCaptions } = useSettings();
  const persona = useCallPersona(agent);
  const mode = useTalkMode(agent);
  const devices = useCallDevices();
  const show = (jpeg: Blob, text: string) => call.conversation.show(agent.participant?.identity ?? '', jpeg, text);
  const ask = useCallback((text: string) => call.ask({ text, aboutPicture: false }), [call]);
  useKeepAwake();
  const spoken = conversation.before.length + conversation.lines.length;
  return (
    <main className="call" data-details={details} data-script={overflows || spoken >= FEW_LINES ? 'long' : 'short'}>
      <TopBar
        recorded={agent.recorded}
        persona={persona}
        devices={devices}
        details={details}
        toggleDetails={() => setDetails(!details)}
        detailsButton={detailsButton}
      />
      <div className="call-main" ref={main}>
        <Stage
          agent={agent}
          trouble={trouble}
          decision={conversation.decisions.at(-1)}
          typed={conversation.lines.findLast(({ side }) => side === 'user')?.typed ?? false}
          mode={mode}
          microphone={call.brought.microphone}
        />
        <Banner trouble={trouble} rejoin={rejoin} anew={anew} />
        <Captions
          before={conversation.before}
          lines={conversation.lines}
          measured={measured}
          readAloud={readCaptions}
          ask={ask}
        >
          <CallChips call={call} />
        </Captions>
        <div className="self-place">
          <SelfView sees={agent.sees} shown={agent.shown} show={(jpeg) => show(jpeg, '')} />
        </div>
      </div>
      <DetailsPanel
        conversation={conversation}
        recordToken={agent.recorded ? call.token : null}
        close={() => {
          setDetails(false);
          detailsButton.current?.focus(); // what was pressed is hidden
        }}
      />
      <footer className="dock">
        <ChatBox
          box={chat}
          send={call.conversation.type}
          show={show}
          sees={agent.sees}
          agentHears={hears(agent.state) && !trouble?.title}
        />
        <Controls
          brought={call.brought}
          turned={turned}
          devices={devices}
          mode={mode}
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
