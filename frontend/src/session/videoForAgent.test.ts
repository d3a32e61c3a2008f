import { Room, VideoPresets } from 'livekit-client';
import { expect, it } from 'vitest';
import { videoForAgent } from './videoForAgent';

it('sends no more frames than the agent has use for, with as many bits', () => {
  const { videoEncoding, screenShareEncoding } = videoForAgent;
  expect(videoEncoding?.maxFramerate).toBeLessThanOrEqual(10);
  expect(videoEncoding?.maxBitrate).toBe(VideoPresets.h720.encoding.maxBitrate);
  expect(screenShareEncoding?.maxFramerate).toBeLessThanOrEqual(5);
});

it('is what a room publishes with, one layer, letters before movement', () => {
  const { publishDefaults } = new Room({ publishDefaults: videoForAgent }).options;
  expect(publishDefaults).toMatchObject({ simulcast: false, degradationPreference: 'maintain-resolution' });
});
