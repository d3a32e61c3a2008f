/** Mounts the page. */
import './styles/index.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App';
import { openBrand } from './brand/brand';
import { markFramed } from './embed/host';
import { readUrlOptions } from './session/urlOptions';
import { applyTheme, storedTheme } from './theme/theme';
import { ErrorBoundary } from './ui/ErrorBoundary';
import { openLanguage } from './words/words';

applyTheme(storedTheme());
markFramed();
openBrand(document);
await openLanguage(window.location.search);

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <ErrorBoundary>
      <App options={readUrlOptions(window.location.search)} />
    </ErrorBoundary>
  </StrictMode>,
);
