/** Mounts the page on which a record is played. */
import '../styles/index.css';
import '../styles/index-call.css';
import '../styles/replay.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { openBrand } from '../brand/brand';
import { keptInTab } from '../storage/storage';
import { applyTheme, storedTheme } from '../theme/theme';
import { ErrorBoundary } from '../ui/ErrorBoundary';
import { bringAllWords, openLanguage } from '../words/words';
import { handedOver } from './handOver';
import { ReplayPage } from './ReplayPage';

applyTheme(storedTheme());
openBrand(document);
await openLanguage(window.location.search);
await bringAllWords();

const root = document.getElementById('root');
if (!root) throw new Error('replay.html has no #root');
createRoot(root).render(
  <StrictMode>
    <ErrorBoundary>
      <ReplayPage token={handedOver(keptInTab)} />
    </ErrorBoundary>
  </StrictMode>,
);
