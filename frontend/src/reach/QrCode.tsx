/** An address as a QR code; loaded when somebody wants to see it. */
import { encode } from 'uqr';
import { words } from '../words/words';
import { darkModules } from './modules';

/** Light modules around the code, which readers need to find it. */
const QUIET = 4;

export default function QrCode({ address }: { address: string }) {
  const { size, data } = encode(address, { border: 0 });
  const whole = size + 2 * QUIET;
  return (
    <svg
      className="qr"
      viewBox={`${-QUIET} ${-QUIET} ${whole} ${whole}`}
      role="img"
      aria-label={words.reach.code(address)}
      shapeRendering="crispEdges"
    >
      <path d={darkModules(data)} />
    </svg>
  );
}
