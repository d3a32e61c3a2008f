/** How camera and screen are sent: the agent is the viewer, which looks twice a second and reads what is held up. */
import { ScreenSharePresets, type TrackPublishDefaults, VideoPresets } from 'livekit-client';

/** So many frames a second that the newest is never old; each more costs sender and agent a share of a core. */
const CAMERA_FPS = 10;
const SCREEN_FPS = 5;

export const videoForAgent: TrackPublishDefaults = {
  simulcast: false, // there is one viewer
  videoEncoding: { ...VideoPresets.h720.encoding, maxFramerate: CAMERA_FPS },
  screenShareEncoding: { ...ScreenSharePresets.h1080fps15.encoding, maxFramerate: SCREEN_FPS },
  degradationPreference: 'maintain-resolution', // small letters before smooth movement, on a slow machine or line
};
