import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GIVE_UP_MS, patience } from './patience';

describe('patience', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('ends where the connection stays away', () => {
    const giveUp = vi.fn();
    patience(giveUp).changed(false);
    vi.advanceTimersByTime(GIVE_UP_MS - 1);
    expect(giveUp).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(giveUp).toHaveBeenCalledOnce();
  });

  it('ends where each attempt half succeeds', () => {
    const giveUp = vi.fn();
    const { changed } = patience(giveUp);
    for (let ms = 0; ms < GIVE_UP_MS; ms += 1_000) {
      changed(false);
      vi.advanceTimersByTime(700);
      changed(true);
      vi.advanceTimersByTime(300);
    }
    changed(false);
    expect(giveUp).toHaveBeenCalledOnce();
  });

  it('begins anew once a connection has held', () => {
    const giveUp = vi.fn();
    const { changed } = patience(giveUp);
    changed(false);
    vi.advanceTimersByTime(GIVE_UP_MS - 1_000);
    changed(true);
    vi.advanceTimersByTime(6_000);
    changed(false);
    vi.advanceTimersByTime(GIVE_UP_MS - 1);
    expect(giveUp).not.toHaveBeenCalled();
  });

  it('is over when the call is', () => {
    const giveUp = vi.fn();
    const { changed, close } = patience(giveUp);
    changed(false);
    close();
    vi.advanceTimersByTime(GIVE_UP_MS);
    expect(giveUp).not.toHaveBeenCalled();
  });
});
