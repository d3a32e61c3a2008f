/** Plays a record: that of the call from which the page was opened, or the two files of one. Nothing is sent anywhere. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { fetchSound, fetchTimeline } from '../records/record';
import { clock } from '../ui/format';
import { Icon } from '../ui/Icon';
import { words } from '../words/words';
import { ReplayView } from './ReplayView';
import { type Replay, readReplay } from './replay';
import { type Loudness, loudnessOf } from './sound';

interface Props {
  /** Of the call; null: files are asked for. */
  readonly token: string | null;
}

export function ReplayPage({ token }: Props) {
  const [replay, setReplay] = useState<Replay | null>(null);
  const [sound, setSound] = useState<Blob | null>(null);
  const [failed, setFailed] = useState(false);
  const [comes, setComes] = useState(token !== null);
  const take = useCallback((timeline: unknown, heard: Blob | null) => {
    const read = readReplay(timeline);
    setReplay(read);
    setSound(heard);
    setFailed(!read);
    setComes(false);
  }, []);
  useEffect(() => {
    if (token === null) return;
    void Promise.all([fetchTimeline(token), fetchSound(token)]).then(([timeline, heard]) => take(timeline, heard));
  }, [token, take]);
  const choose = async (files: readonly File[]) => {
    const timeline = files.find(({ name }) => name.endsWith('.json'));
    const text = await timeline?.text().catch(() => '');
    take(parsed(text ?? ''), files.find(({ name }) => name.endsWith('.ogg')) ?? null);
  };
  return (
    <main className="replay" data-testid="replay">
      <h1>{words.records.replay.title}</h1>
      {replay && <p className="fine">{`${replay.room} · ${when(replay.began)}`}</p>}
      {failed && (
        <p role="alert" data-testid="replay-failed">
          {words.records.replay.unreadable}
        </p>
      )}
      {replay && <Player replay={replay} sound={sound} />}
      {!replay && !comes && (
        <label className="replay-choose">
          {words.records.replay.choose}
          <input
            type="file"
            multiple
            accept=".json,.ogg"
            onChange={({ target }) => void choose([...(target.files ?? [])])}
          />
        </label>
      )}
    </main>
  );
}

function Player({ replay, sound }: { replay: Replay; sound: Blob | null }) {
  const audio = useRef<HTMLAudioElement>(null);
  const [address, setAddress] = useState('');
  const [loudness, setLoudness] = useState<Loudness | null | undefined>(undefined);
  const [nowMs, setNowMs] = useState(0);
  const [playing, setPlaying] = useState(false);
  useEffect(() => {
    if (!sound) return;
    const url = URL.createObjectURL(sound);
    setAddress(url);
    let wanted = true;
    void loudnessOf(sound).then((found) => wanted && setLoudness(found));
    return () => {
      wanted = false;
      URL.revokeObjectURL(url);
    };
  }, [sound]);
  useEffect(() => {
    let frame = 0;
    const follow = () => {
      if (audio.current && !audio.current.paused) setNowMs(audio.current.currentTime * 1000);
      frame = requestAnimationFrame(follow);
    };
    frame = requestAnimationFrame(follow);
    return () => cancelAnimationFrame(frame);
  }, []);
  const turn = () => {
    if (playing) audio.current?.pause();
    else void audio.current?.play().catch(() => {});
  };
  const seek = (ms: number) => {
    setNowMs(ms);
    if (audio.current) audio.current.currentTime = ms / 1000;
  };
  return (
    <>
      {address && (
        <div className="replay-play">
          {/* biome-ignore lint/a11y/useMediaCaption: what is said stands below, with its times */}
          <audio
            ref={audio}
            src={address}
            onPlay={() => setPlaying(true)}
            onPause={() => setPlaying(false)}
            onSeeked={({ currentTarget }) => setNowMs(currentTarget.currentTime * 1000)}
          />
          <button type="button" className="primary" data-testid="play" data-playing={playing} onClick={turn}>
            <Icon name={playing ? 'pause' : 'play'} />
            {playing ? words.records.replay.pause : words.records.replay.play}
          </button>
          <time>{`${clock(nowMs)} / ${clock(loudness?.ms ?? replay.ms)}`}</time>
          <a className="download" data-testid="save-sound" href={address} download={`${replay.room}.ogg`}>
            <Icon name="download" /> {words.records.sound}
          </a>
        </div>
      )}
      {loudness === null && <p className="fine">{words.records.replay.noWave}</p>}
      <ReplayView replay={replay} loudness={loudness ?? null} nowMs={nowMs} seek={seek} />
    </>
  );
}

function when(began: string): string {
  const date = new Date(began);
  return Number.isNaN(date.getTime()) ? '' : date.toLocaleString(document.documentElement.lang);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
