/** Begins the page: its words come while its script does, which `build/preload.ts` has the browser fetch at once. */
import './styles/index.css';
import { openBrand } from './brand/brand';
import { markFramed } from './embed/framed';
import { fetchFirstFonts } from './styles/firstFonts';
import { applyTheme, storedTheme } from './theme/theme';
import { openLanguage } from './words/words';

async function begin(): Promise<void> {
  const page = import('./page');
  applyTheme(storedTheme());
  markFramed();
  openBrand(document);
  const told = openLanguage(window.location.search);
  fetchFirstFonts();
  await told;
  (await page).mount();
}

void begin();
