/** Keeps the conversation of one room, from before it connects until it is closed. */
import type { Room } from 'livekit-client';
import { sendPicture } from '../pictures/sendPicture';
import { listenToAgent } from './agentReports';
import { listenToCaptions } from './captionStreams';
import { type ConversationEvent, type ConversationState, EMPTY, type Line, reduce } from './conversation';

const CHAT_TOPIC = 'lk.chat';

export interface Conversation {
  subscribe(listener: () => void): () => void;
  current(): ConversationState;
  /** Shows what was said in this call before. */
  recall(lines: readonly Line[]): void;
  /** Sends a typed line to the agent; rejects when it could not be sent. */
  type(text: string): Promise<void>;
  /** Shows the agent a picture, with what is asked about it or nothing; rejects when the agent does not take it. */
  show(agent: string, jpeg: Blob, text: string): Promise<void>;
  close(): void;
}

export function openConversation(room: Room): Conversation {
  let state = EMPTY;
  const listeners = new Set<() => void>();
  const dispatch = (event: ConversationEvent): void => {
    const next = reduce(state, event);
    if (next === state) return;
    state = next;
    for (const listener of listeners) listener();
  };
  const stops = [listenToCaptions(room, dispatch), listenToAgent(room, dispatch)];
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    current: () => state,
    recall: (lines) => dispatch({ type: 'recalled', lines, nowMs: performance.now() }),
    async type(text) {
      const { id } = await room.localParticipant.sendText(text, { topic: CHAT_TOPIC });
      dispatch({ type: 'typed', key: id, text, nowMs: performance.now() });
    },
    async show(agent, jpeg, text) {
      const key = await sendPicture(room, agent, jpeg, text);
      dispatch({ type: 'typed', key, text, picture: true, nowMs: performance.now() });
    },
    close() {
      dispatch({ type: 'ended', nowMs: performance.now() });
      for (const stop of stops) stop();
    },
  };
}
