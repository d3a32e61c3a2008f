/** Mounts the page. */
import './styles/index.css';
import { setLogLevel } from 'livekit-client';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App';
import { readUrlOptions } from './session/urlOptions';
import { applyTheme, storedTheme } from './theme/theme';

setLogLevel('warn');
applyTheme(storedTheme());

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <App options={readUrlOptions(window.location.search)} />
  </StrictMode>,
);
