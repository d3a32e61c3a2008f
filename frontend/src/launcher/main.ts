/** `aura.js`: one script tag puts a button on somebody's page, which opens this page in a window. */
import { launcher as de } from '../words/de/launcher';
import { launcher as en } from '../words/en/launcher';
import { pageAddress, readOptions } from './options';
import { Popup, type PopupWords } from './popup';
import { type Colours, style } from './style';

/** The web server writes it in front of the script where it has a brand. */
interface Branded extends Partial<Colours> {
  readonly name?: string;
  readonly words?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const TABLES: Readonly<Record<string, PopupWords>> = { en, de };
const OWN: Colours = {
  accent: { light: '#12302b', dark: '#6ad6bf' },
  onAccent: { light: '#f8f5ee', dark: '#06201b' },
};

function launch(script: HTMLScriptElement & { auraBrand?: Branded }): void {
  const { name = 'AURA', words: instead = {}, accent, onAccent } = script.auraBrand ?? {};
  const wishes = [document.documentElement.lang, ...navigator.languages];
  const options = readOptions({ ...script.dataset }, wishes, (fault) => console.warn(`aura.js: ${fault}`));
  const table = TABLES[options.language] ?? en;
  const text = (key: keyof PopupWords) =>
    (instead[options.language]?.[`launcher.${key}`] ?? table[key]).replaceAll('AURA', () => name);
  const popup = new Popup({
    name,
    address: pageAddress(script.src, options),
    side: options.side,
    style: style({ accent: accent ?? OWN.accent, onAccent: onAccent ?? OWN.onAccent }),
    words: {
      open: options.label ?? text('open'),
      goesOn: text('goesOn'),
      close: text('close'),
      refused: text('refused'),
      alone: text('alone'),
    },
  });
  document.body.append(popup.host);
  if (options.open) popup.open();
}

const script = document.currentScript;
if (script instanceof HTMLScriptElement) {
  if (document.body) launch(script);
  else document.addEventListener('DOMContentLoaded', () => launch(script), { once: true });
}
