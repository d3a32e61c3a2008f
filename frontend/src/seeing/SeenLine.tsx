/** In the caption of the person's own picture: what AURA sees in it, in English. It changes often, and is not read aloud. */
import { useAgent } from '../agent/useAgent';
import { useLanguage, words } from '../words/words';
import { readObservation } from './observation';

export function SeenLine() {
  useLanguage();
  const line = readObservation(useAgent().participant?.attributes ?? {});
  if (line === null) return null;
  return (
    <span className="seen" data-testid="observation" title={line}>
      {words.seeing.sees} <span lang="en">{line}</span>
    </span>
  );
}
