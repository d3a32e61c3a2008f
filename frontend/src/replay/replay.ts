/** A record as it is shown: captions, decisions and waits, each with its millisecond of the sound. Pure. */
import { readDecision, readTimings, waitedMs } from '../agent/attributes';
import type { Line, LoggedDecision, Wait } from '../conversation/conversation';

/** What was said, and from when to when it is heard; of what was written both are when it was sent. */
export interface ReplayLine {
  readonly line: Line;
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface ToolRun {
  readonly key: string;
  readonly atMs: number;
  readonly name: string;
  readonly state: string;
  readonly ms: number;
}

export interface Replay {
  readonly room: string;
  /** ISO 8601; empty: not known. */
  readonly began: string;
  /** How long it lasted, as far as is known: to the end of what is in it. */
  readonly ms: number;
  readonly lines: readonly ReplayLine[];
  readonly decisions: readonly LoggedDecision[];
  readonly waits: readonly Wait[];
  readonly tools: readonly ToolRun[];
}

/** Null: that is no timeline of a record. */
export function readReplay(timeline: unknown): Replay | null {
  const fields = asRecord(timeline);
  if (fields.version !== 1 || typeof fields.room !== 'string' || !Array.isArray(fields.items)) return null;
  const lines = fields.items.flatMap(readLine).toSorted((one, other) => one.fromMs - other.fromMs);
  const decisions = several(fields.decisions).flatMap((value, at) => {
    const decision = readDecision({ 'aura.decision': JSON.stringify(value) });
    return decision ? [{ ...decision, id: at + 1, seenMs: decision.atMs }] : [];
  });
  const waits = several(fields.timings).flatMap((value) => {
    const timings = readTimings({ 'aura.timings': JSON.stringify(value) });
    const ms = timings && waitedMs(timings);
    return timings && ms !== null ? [{ responseId: timings.responseId, ms, timings }] : [];
  });
  const lastMs = Math.max(0, ...lines.map(({ untilMs }) => untilMs), ...decisions.map(({ atMs }) => atMs));
  return {
    room: fields.room,
    began: typeof fields.began === 'string' ? fields.began : '',
    ms: number(fields.ms) ?? lastMs,
    lines,
    decisions,
    waits,
    tools: several(fields.tools).flatMap(readTool),
  };
}

/** What is known of the call at that moment: what is to come is left out. */
export function until(replay: Replay, nowMs: number): Pick<Replay, 'decisions' | 'waits' | 'tools'> {
  const newest = new Map(replay.tools.filter(({ atMs }) => atMs <= nowMs).map((tool) => [tool.key, tool]));
  return {
    decisions: replay.decisions.filter(({ atMs }) => atMs <= nowMs),
    waits: replay.waits.filter(({ timings }) => timings.atMs <= nowMs),
    tools: [...newest.values()],
  };
}

/** The key of the line that is heard then; of two at once the one that began last; null: none is. */
export function heardAt(lines: readonly ReplayLine[], nowMs: number): string | null {
  return lines.findLast(({ fromMs, untilMs }) => fromMs <= nowMs && nowMs < untilMs)?.line.key ?? null;
}

function readLine(value: unknown, at: number): readonly ReplayLine[] {
  const { who, text, at_ms, from_ms, until_ms, cut } = asRecord(value);
  const atMs = number(at_ms);
  if ((who !== 'person' && who !== 'agent') || typeof text !== 'string' || atMs === null) return [];
  const line: Line = {
    key: `item-${at}`,
    side: who === 'person' ? 'user' : 'agent',
    typed: who === 'person' && number(from_ms) === null,
    text,
    final: true,
    mark: cut === true ? 'interrupted' : null,
    waitedMs: null,
    touchedMs: atMs,
  };
  return [{ line, fromMs: number(from_ms) ?? atMs, untilMs: number(until_ms) ?? atMs }];
}

function readTool(value: unknown): readonly ToolRun[] {
  const { at_ms, call_id, name, state, ms } = asRecord(value);
  const atMs = number(at_ms);
  if (atMs === null || typeof name !== 'string' || typeof state !== 'string') return [];
  return [{ key: String(call_id), atMs, name, state, ms: number(ms) ?? 0 }];
}

function several(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function number(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
