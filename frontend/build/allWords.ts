/** Gives tests the words of all screens, as a call brings them. */
import { bringAllWords } from '../src/words/words';

await bringAllWords();
