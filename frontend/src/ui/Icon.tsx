/** The few drawn signs of the page, 24 × 24, stroked in the text colour. */
const PATHS = {
  mic: 'M12 3a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3zM5.5 11a6.5 6.5 0 0 0 13 0M12 17.5V21',
  'mic-off':
    'M9 9v2a3 3 0 0 0 5 2.2M15 10.5V6a3 3 0 0 0-5.7-1.3M5.5 11a6.5 6.5 0 0 0 10.4 5.2M18.5 11c0 .9-.2 1.7-.5 2.5M12 17.5V21M4 4l16 16',
  camera: 'M3.5 7.5a2 2 0 0 1 2-2h8a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2h-8a2 2 0 0 1-2-2zM15.5 11l5-3v8l-5-3',
  'camera-off':
    'M15.5 13V7.5a2 2 0 0 0-2-2H8M5 5.6a2 2 0 0 0-1.5 1.9v9a2 2 0 0 0 2 2h8a2 2 0 0 0 1.8-1.1M15.5 11l5-3v8l-3-1.8M4 4l16 16',
  screen: 'M3.5 5.5h17v11h-17zM8.5 20h7M12 13.5v-5M9.5 10.5L12 8l2.5 2.5',
  leave: 'M4 13.5c5-4.5 11-4.5 16 0l-1.8 2.3-3.6-1.3-.4-2.3a9 9 0 0 0-4.4 0l-.4 2.3-3.6 1.3z',
  send: 'M5 12h13M12.5 6l6 6-6 6',
  chevron: 'M7 10l5 5 5-5',
  close: 'M6 6l12 12M18 6L6 18',
  alert: 'M12 4l9 16H3zM12 10v4.5M12 17.2v.1',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4',
  moon: 'M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z',
  auto: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 4v16M12 8h6.5M12 12h8M12 16h6.5',
  info: 'M4 6.5h16M4 12h16M4 17.5h10',
  volume: 'M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM15.5 9a4.2 4.2 0 0 1 0 6M18 6.5a8 8 0 0 1 0 11',
  down: 'M12 5v13M6.5 12.5L12 18l5.5-5.5',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
