import { expect, it } from 'vitest';
import { canShareScreen, ownPicture, ownPictureWords } from './sharing';

const mediaDevices = { getDisplayMedia: () => undefined };
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Safari/605.1.15';
const ANDROID = 'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/150.0.0.0 Mobile Safari/537.36';

it('offers to share a screen where that can be done, and on no phone or tablet', () => {
  expect(canShareScreen({ userAgent: MAC, maxTouchPoints: 0, mediaDevices })).toBe(true);
  expect(canShareScreen({ userAgent: 'Linux', userAgentData: { mobile: false }, mediaDevices })).toBe(true);
  expect(canShareScreen({ userAgent: MAC, mediaDevices: {} })).toBe(false);
  expect(canShareScreen({ userAgent: MAC })).toBe(false);
  expect(canShareScreen({ userAgent: MAC, maxTouchPoints: 5, mediaDevices })).toBe(false);
  expect(canShareScreen({ userAgent: ANDROID, mediaDevices })).toBe(false);
  expect(canShareScreen({ userAgent: 'Linux', userAgentData: { mobile: true }, mediaDevices })).toBe(false);
});

it('shows the person the picture that AURA is shown, and their screen before that is known', () => {
  expect(ownPicture(['camera', 'screen'], 'camera')).toBe('camera');
  expect(ownPicture(['camera', 'screen'], 'screen')).toBe('screen');
  expect(ownPicture(['camera', 'screen'], null)).toBe('screen');
  expect(ownPicture(['camera'], 'screen')).toBe('camera'); // it has just ended
  expect(ownPicture(['camera'], null)).toBe('camera');
  expect(ownPicture([], 'camera')).toBeNull();
});

it('says that AURA sees a picture only of the one that it is shown', () => {
  expect(ownPictureWords('screen', 'screen')).toBe('AURA sees your screen');
  expect(ownPictureWords('camera', 'camera')).toBe('AURA sees your camera');
  expect(ownPictureWords('camera', 'screen')).toBe('You');
  expect(ownPictureWords('screen', null)).toBe('Your screen');
});
