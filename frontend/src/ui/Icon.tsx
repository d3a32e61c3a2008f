/** The few drawn signs of the page, 24 × 24, stroked in the text colour. */
const PATHS = {
  mic: 'M12 3a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3zM5.5 11a6.5 6.5 0 0 0 13 0M12 17.5V21',
  'mic-off':
    'M9 9v2a3 3 0 0 0 5 2.2M15 10.5V6a3 3 0 0 0-5.7-1.3M5.5 11a6.5 6.5 0 0 0 10.4 5.2M18.5 11c0 .9-.2 1.7-.5 2.5M12 17.5V21',
  camera: 'M3.5 7.5a2 2 0 0 1 2-2h8a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2h-8a2 2 0 0 1-2-2zM15.5 11l5-3v8l-5-3',
  'camera-off':
    'M15.5 13V7.5a2 2 0 0 0-2-2H8M5 5.6a2 2 0 0 0-1.5 1.9v9a2 2 0 0 0 2 2h8a2 2 0 0 0 1.8-1.1M15.5 11l5-3v8l-3-1.8',
  screen: 'M3.5 5.5h17v11h-17zM8.5 20h7M12 13.5v-5M9.5 10.5L12 8l2.5 2.5',
  // A gear of eight teeth around its hub.
  settings:
    'M12 9.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM10.6 3.5h2.8l.5 2.3 1.8.8 2-1.3 2 2-1.3 2 .8 1.8 2.3.5v2.8l-2.3.5-.8 1.8 1.3 2-2 2-2-1.3-1.8.8-.5 2.3h-2.8l-.5-2.3-1.8-.8-2 1.3-2-2 1.3-2-.8-1.8-2.3-.5v-2.8l2.3-.5.8-1.8-1.3-2 2-2 2 1.3 1.8-.8z',
  sliders: 'M4 7.5h8M17 7.5h3M14.5 5v5M4 16.5h3M12 16.5h8M9.5 14v5',
  play: 'M8 5.5l10 6.5-10 6.5z',
  pause: 'M8.5 5.5v13M15.5 5.5v13',
  flip: 'M4 9.5V8a2 2 0 0 1 2-2h9M12.5 3L15.5 6l-3 3M20 14.5V16a2 2 0 0 1-2 2H9M11.5 21L8.5 18l3-3',
  still:
    'M4 8.5a2 2 0 0 1 2-2h2l1.5-2h5l1.5 2h2a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2zM12 9.5a3.2 3.2 0 1 0 0 6.4 3.2 3.2 0 0 0 0-6.4z',
  chart: 'M4 4.5v15h16M8 16v-4M12.2 16V8M16.4 16v-6',
  leave:
    'M12 9.5c-4.4 0-7.4 1.5-8.8 3.2-.6.8-.5 1.9 0 2.7l.6.9c.4.6 1.2.8 1.9.5l2.2-.9c.6-.2.9-.8.9-1.4v-1.3c2.1-.6 4.3-.6 6.4 0v1.3c0 .6.3 1.2.9 1.4l2.2.9c.7.3 1.5.1 1.9-.5l.6-.9c.5-.8.6-1.9 0-2.7-1.4-1.7-4.4-3.2-8.8-3.2z',
  send: 'M5 12h13M12.5 6l6 6-6 6',
  chevron: 'M7 10l5 5 5-5',
  close: 'M6 6l12 12M18 6L6 18',
  alert: 'M12 4l9 16H3zM12 10v4.5M12 17.2v.1',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4',
  moon: 'M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z',
  auto: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 4v16M12 8h6.5M12 12h8M12 16h6.5',
  volume: 'M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM15.5 9a4.2 4.2 0 0 1 0 6M18 6.5a8 8 0 0 1 0 11',
  phone:
    'M8 2.5h8a1.5 1.5 0 0 1 1.5 1.5v16a1.5 1.5 0 0 1-1.5 1.5H8A1.5 1.5 0 0 1 6.5 20V4A1.5 1.5 0 0 1 8 2.5zM11 18.5h2',
  lock: 'M7 11V8a5 5 0 0 1 10 0v3M5.5 11h13v9h-13z',
  download: 'M12 4v10.5M7.5 10.5L12 15l4.5-4.5M5 19.5h14',
  down: 'M12 5v13M6.5 12.5L12 18l5.5-5.5',
} as const;

/** Drawn over a sign, in red: what it stands for is off. */
const SLASH = 'M4 4l16 16';

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
      {name.endsWith('-off') && <path className="slash" d={SLASH} />}
    </svg>
  );
}
