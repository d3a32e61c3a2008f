/** The button, and the window that it opens with the page in a frame. A call goes on while the window is closed. */
import type { ToHost } from '../embed/host';

export interface PopupWords {
  readonly open: string;
  readonly goesOn: string;
  readonly close: string;
}

export interface PopupLook {
  readonly name: string;
  readonly address: string;
  readonly side: 'left' | 'right';
  readonly style: string;
  readonly words: PopupWords;
}

/** What a call needs; a page in a frame has none of it unless it is handed on. */
const HANDED_ON = 'microphone; camera; autoplay; display-capture; screen-wake-lock; clipboard-write';

export class Popup {
  readonly host = document.createElement('aura-launcher');
  readonly #look: PopupLook;
  readonly #place = element('div', 'place');
  readonly #window = element('div', 'window');
  readonly #launcher = element('button', 'launcher');
  #frame: HTMLIFrameElement | null = null;
  #inCall = false;

  constructor(look: PopupLook) {
    this.#look = look;
    const root = this.host.attachShadow({ mode: 'open' });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(look.style);
    root.adoptedStyleSheets = [sheet];
    this.#place.dataset.side = look.side;
    this.#build(root);
    window.addEventListener('message', (event) => this.#hear(event));
  }

  open(): void {
    if (!this.#frame) {
      this.#frame = document.createElement('iframe');
      this.#frame.title = this.#look.name;
      this.#frame.allow = HANDED_ON;
      this.#frame.src = this.#look.address;
      this.#window.append(this.#frame);
    }
    this.#window.hidden = false;
    this.#label();
    this.#frame.focus();
  }

  close(): void {
    this.#window.hidden = true;
    this.#label();
    this.#launcher.focus();
    if (!this.#inCall) this.#drop();
  }

  #build(root: ShadowRoot): void {
    const { name, words } = this.#look;
    const bar = element('div', 'bar');
    const title = element('span', 'name');
    const close = element('button', 'close');
    title.textContent = name;
    close.type = 'button';
    close.ariaLabel = words.close;
    close.textContent = '×';
    close.addEventListener('click', () => this.close());
    bar.append(title, close);
    this.#window.id = 'window';
    this.#window.role = 'dialog';
    this.#window.ariaLabel = name;
    this.#window.hidden = true;
    this.#window.append(bar);
    this.#launcher.type = 'button';
    this.#launcher.ariaHasPopup = 'dialog';
    this.#launcher.setAttribute('aria-controls', 'window');
    this.#label();
    this.#launcher.addEventListener('click', () => (this.#window.hidden ? this.open() : this.close()));
    this.#place.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && !this.#window.hidden) this.close();
    });
    this.#place.append(this.#window, this.#launcher);
    root.append(this.#place);
  }

  /** Listens to the page in the frame, and to nobody else. */
  #hear({ source, origin, data }: MessageEvent<ToHost | null>): void {
    if (!this.#frame || source !== this.#frame.contentWindow || origin !== new URL(this.#look.address).origin) return;
    if (data?.aura === 'escape') this.close();
    if (data?.aura === 'call') this.#calls(data.on);
  }

  #calls(on: boolean): void {
    this.#inCall = on;
    this.#label();
    if (!on && this.#window.hidden) this.#drop(); // it ended while nobody looked
  }

  /** Says of the button what it opens, and whether it has. */
  #label(): void {
    const { open, goesOn } = this.#look.words;
    this.#place.dataset.call = String(this.#inCall);
    this.#launcher.ariaExpanded = String(!this.#window.hidden);
    this.#launcher.textContent = this.#inCall && this.#window.hidden ? goesOn : open;
  }

  #drop(): void {
    this.#frame?.remove();
    this.#frame = null;
  }
}

function element<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, name: string): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  made.className = name;
  return made;
}
