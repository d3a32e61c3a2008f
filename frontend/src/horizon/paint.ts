/** Paints a shape of the horizon on a canvas. */
import type { Shape } from './shape';

export interface Colours {
  readonly agent: string;
  readonly person: string;
  readonly line: string;
}

/** Share of the height above the line. */
const LINE_AT = 0.62;
const PITCH_PX = 8;
const BAR_PX = 3.5;

export function barCount(widthPx: number): number {
  const fitting = Math.max(15, Math.min(91, Math.floor(widthPx / PITCH_PX)));
  return fitting % 2 ? fitting : fitting - 1;
}

/** Fits the canvas to its box and the screen's pixels; returns its size in CSS pixels. */
export function fitToBox(canvas: HTMLCanvasElement): { width: number; height: number } {
  const { clientWidth: width, clientHeight: height } = canvas;
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  canvas.getContext('2d')?.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { width, height };
}

export function paint(canvas: HTMLCanvasElement, shape: Shape, colours: Colours): void {
  const { width, height } = fitToBox(canvas);
  const brush = canvas.getContext('2d');
  if (!brush) return;
  brush.clearRect(0, 0, width, height);
  const lineY = Math.round(height * LINE_AT);
  const left = (width - (shape.above.length - 1) * PITCH_PX) / 2;
  brush.lineCap = 'round';
  bars(brush, shape.above, left, lineY - 6, -(lineY - 14), colours.agent);
  bars(brush, shape.below, left, lineY + 6, height - lineY - 14, colours.person);
  brush.strokeStyle = colours.line;
  brush.lineWidth = 1.5;
  stroke(brush, 0, lineY, width, lineY);
}

function bars(
  brush: CanvasRenderingContext2D,
  heights: readonly number[],
  left: number,
  fromY: number,
  reach: number,
  colour: string,
): void {
  brush.strokeStyle = colour;
  brush.lineWidth = BAR_PX;
  heights.forEach((height, bar) => {
    if (height < 0.012) return;
    const x = left + bar * PITCH_PX;
    stroke(brush, x, fromY, x, fromY + reach * Math.min(1, height));
  });
}

function stroke(brush: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  brush.beginPath();
  brush.moveTo(x1, y1);
  brush.lineTo(x2, y2);
  brush.stroke();
}
