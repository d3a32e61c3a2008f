import { EventEmitter } from 'node:events';
import type { LocalParticipant } from 'livekit-client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endEarlySound, publishWithEarlySound } from './earlySound';

describe('sound from before the agent hears', () => {
  const events: string[] = [];
  const track = { stopPreConnectBuffer: () => void events.push('stopped') };
  const emitter = new EventEmitter();
  const person = emitter as unknown as LocalParticipant;
  const publish = (heard: unknown) => async () => {
    if (heard) emitter.emit('localTrackSubscribed', { track: heard });
    events.push('published');
  };
  beforeEach(() => {
    events.length = 0;
    vi.useFakeTimers();
  });
  afterEach(() => void vi.useRealTimers());

  it('ends after publishing where the agent heard the track before that', async () => {
    await publishWithEarlySound(person, track, publish(track));
    expect(events).toEqual(['published', 'stopped']);
  });

  it('goes on where nobody hears the track yet, or another one', async () => {
    await publishWithEarlySound(person, track, publish(null));
    await publishWithEarlySound(person, track, publish({}));
    expect(events).toEqual(['published', 'published']);
  });

  it('leaves no listener behind, also where publishing fails', async () => {
    const failing = async () => Promise.reject(new Error('no'));
    await expect(publishWithEarlySound(person, track, failing)).rejects.toThrow('no');
    expect(emitter.listenerCount('localTrackSubscribed')).toBe(0);
  });

  it('has ended before a call is left', async () => {
    const recorder = new EventTarget();
    void endEarlySound(recorder, track).then(() => events.push('left'));
    await vi.advanceTimersByTimeAsync(100);
    expect(events).toEqual(['stopped']);
    recorder.dispatchEvent(new Event('stop'));
    await vi.advanceTimersByTimeAsync(0);
    expect(events).toEqual(['stopped', 'left']);
  });

  it('keeps nobody who wants to leave, where nothing is recorded or the recorder is stuck', async () => {
    await endEarlySound(undefined, track);
    void endEarlySound(new EventTarget(), track).then(() => events.push('left'));
    await vi.advanceTimersByTimeAsync(250);
    expect(events).toEqual(['stopped', 'left']);
  });
});
