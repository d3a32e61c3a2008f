/** The look of button and window; they live in a tree of their own, which the page's styles do not reach. */
export interface Colours {
  readonly accent: Look;
  readonly onAccent: Look;
}

interface Look {
  readonly light: string;
  readonly dark: string;
}

export function style({ accent, onAccent }: Colours): string {
  return `
    :host { all: initial; color-scheme: light dark; }
    * { box-sizing: border-box; font: 500 16px/1.3 system-ui, -apple-system, "Segoe UI", sans-serif; }
    .place { position: fixed; z-index: 2147483000; inset-block-end: 20px; inset-inline: 20px; pointer-events: none; }
    .place > * { pointer-events: auto; }
    .launcher, .close { cursor: pointer; border: 0; }
    .launcher {
      display: flex; align-items: center; gap: 10px; min-height: 52px; padding: 0 22px; border-radius: 26px;
      margin-inline-start: auto; background: light-dark(${accent.light}, ${accent.dark});
      color: light-dark(${onAccent.light}, ${onAccent.dark}); box-shadow: 0 6px 24px #0004;
    }
    [data-side=left] .launcher { margin-inline: 0 auto; }
    .launcher::before { content: ""; width: 18px; height: 9px; border-radius: 9px 9px 0 0; background: currentColor; }
    [data-call=true] .launcher::before { animation: breathe 2s ease-in-out infinite alternate; }
    @keyframes breathe { to { opacity: .4; } }
    .window {
      position: absolute; inset-block-end: 68px; inset-inline-end: 0; display: flex; flex-direction: column;
      width: min(420px, 100%); height: min(700px, calc(100vh - 108px)); border-radius: 18px; overflow: hidden;
      background: light-dark(#f5f2ea, #0e1412); color: light-dark(#1b2421, #ece7dc);
      border: 1px solid light-dark(#8a816d, #6b7771); box-shadow: 0 16px 60px #0006;
    }
    [data-side=left] .window { inset-inline: 0 auto; }
    .window[hidden] { display: none; }
    .bar { display: flex; align-items: center; justify-content: space-between; padding-inline-start: 16px; }
    .close { width: 44px; height: 44px; background: none; color: inherit; font-size: 24px; }
    iframe { flex: 1; width: 100%; border: 0; }
    iframe[hidden] { display: none; }
    .refused { margin: auto; padding: 24px; text-align: center; }
    .refused p { margin: 0 0 18px; font-size: 18px; }
    .alone {
      display: inline-block; padding: 14px 22px; border-radius: 26px; text-decoration: none;
      background: light-dark(${accent.light}, ${accent.dark}); color: light-dark(${onAccent.light}, ${onAccent.dark});
    }
    .launcher:focus-visible, .alone:focus-visible, .close:focus-visible { outline: 3px solid light-dark(#1b2421, #ece7dc); outline-offset: 2px; }
    .close:focus-visible { outline-offset: -6px; }
    @media (max-width: 520px), (max-height: 480px) {
      .window { position: fixed; z-index: 1; inset: 0; width: auto; height: auto; border: 0; border-radius: 0; }
    }
    @media (prefers-reduced-motion: reduce) { .launcher::before { animation: none !important; } }
  `;
}
