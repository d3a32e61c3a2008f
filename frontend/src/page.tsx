/** Mounts the page. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App';
import { readUrlOptions } from './session/urlOptions';
import { ErrorBoundary } from './ui/ErrorBoundary';

export function mount(): void {
  const root = document.getElementById('root');
  if (!root) throw new Error('index.html has no #root');
  createRoot(root).render(
    <StrictMode>
      <ErrorBoundary>
        <App options={readUrlOptions(window.location.search)} />
      </ErrorBoundary>
    </StrictMode>,
  );
  import('./ui/keepFocus').then(({ keepFocus }) => keepFocus()).catch(() => {}); // the page works without
}
