/** The name of the page, or the picture that stands for it. */
import type { CSSProperties } from 'react';
import { words } from '../words/words';
import { brand } from './brand';

export function Wordmark() {
  const { name } = words.about;
  if (brand.logo) return <img className="logo" src={brand.logo} alt={name} />;
  return (
    <span className="wordmark" style={{ '--letters': [...name].length } as CSSProperties}>
      {name}
    </span>
  );
}
