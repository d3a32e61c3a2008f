/** Three bars for how well the person's connection holds. */
import { useConnectionQualityIndicator, useConnectionState, useRoomContext } from '@livekit/components-react';
import { ConnectionQuality, ConnectionState } from 'livekit-client';
import { words } from '../words/words';

const LOOKS = {
  [ConnectionQuality.Excellent]: { bars: 3, name: 'good' },
  [ConnectionQuality.Good]: { bars: 2, name: 'fair' },
  [ConnectionQuality.Poor]: { bars: 1, name: 'weak' },
  [ConnectionQuality.Lost]: { bars: 0, name: 'lost' },
  [ConnectionQuality.Unknown]: { bars: 3, name: 'unknown' },
} as const;

export function ConnectionQualityMark() {
  const connected = useConnectionState() === ConnectionState.Connected;
  const measured = useConnectionQualityIndicator({ participant: useRoomContext().localParticipant }).quality;
  const quality = connected ? measured : ConnectionQuality.Lost; // nobody measures what is not there
  const { bars, name } = LOOKS[quality];
  const text = words.call.quality[name];
  return (
    <svg className="quality" viewBox="0 0 20 16" role="img" aria-label={text} data-quality={quality}>
      <title>{text}</title>
      {[0, 1, 2].map((bar) => (
        <rect key={bar} x={bar * 7} y={10 - bar * 5} width="4" height={6 + bar * 5} rx="1.5" data-lit={bar < bars} />
      ))}
    </svg>
  );
}
