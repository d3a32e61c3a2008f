/** The call as a JSON document: what the agent decided and why, how long each stage took, and what was said. Pure. */
import type { Timings } from '../agent/attributes';
import type { ConversationState, Line } from '../conversation/conversation';
import { lineText } from '../conversation/lineWords';
import { words } from '../words/words';

/** As `aura-agent console --decisions` writes it; the transcript is the page's own. */
export const VERSION = 1;

export function callExport(call: ConversationState, room: string, savedAt: string): object {
  return {
    version: VERSION,
    room,
    saved_at: savedAt,
    decisions: call.decisions.map(({ atMs, what, reason, text, figures }) => ({
      at_ms: atMs,
      what,
      reason,
      text,
      figures,
    })),
    timings: call.waits.map(({ timings }) => timingsOf(timings)),
    transcript: {
      note: words.details.exportNote,
      lines: [...call.before.map((line) => lineOf(line, true)), ...call.lines.map((line) => lineOf(line, false))],
    },
  };
}

export function exportName(room: string, savedAt: string, kind: 'json' | 'txt' | 'ogg' = 'json'): string {
  return `aura-call-${room}-${savedAt.slice(0, 19)}`.replace(/[^\w-]+/g, '-').concat(`.${kind}`);
}

function timingsOf(timings: Timings): object {
  const { stages, moments } = timings;
  return {
    at_ms: timings.atMs,
    response_id: timings.responseId,
    speech_end_to_first_audio_ms: timings.speechEndToFirstAudioMs,
    create_to_first_audio_ms: timings.createToFirstAudioMs,
    waited_ms: Object.fromEntries(stages.map(({ stage, waitedMs }) => [stage, waitedMs])),
    took_ms: Object.fromEntries(
      stages.flatMap(({ stage, tookMs }) => (tookMs === null ? [] : [[stage, tookMs] as const])),
    ),
    moments_ms: Object.fromEntries(moments.map(({ name, atMs }) => [name, atMs])),
  };
}

/** @param earlier it was said before the person left and came back. */
function lineOf(line: Line, earlier: boolean): object {
  const { side, typed, final, mark, waitedMs, picture } = line;
  return { side, typed, text: lineText(line), ...(picture && { picture }), final, mark, waited_ms: waitedMs, earlier };
}
