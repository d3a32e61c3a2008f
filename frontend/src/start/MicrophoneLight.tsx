/** A light on the water that follows a voice; fetched when somebody tests their microphone. */
import '../styles/horizon.css';
import { useRef } from 'react';
import { Reflection } from '../horizon/Reflection';
import { useLevel } from '../sound/useLevel';
import { useCapture } from './useCapture';

interface Props {
  readonly deviceId: string | null;
  readonly failed: (error: unknown) => void;
}

export default function MicrophoneLight({ deviceId, failed }: Props) {
  const stream = useCapture('audio', deviceId, failed);
  const voice = useRef<HTMLDivElement>(null);
  const speaks = useLevel(stream?.getAudioTracks()[0], voice);
  return (
    <div className="mic-light" aria-hidden="true">
      <div className="skyline" />
      <Reflection voice={voice} speaks={speaks} />
    </div>
  );
}
