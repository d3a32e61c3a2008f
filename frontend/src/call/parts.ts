/** What a call needs and the start screen does not: fetched while the person still reads, by `loadCall`. */
import '../styles/horizon.css';
import '../styles/index-call.css';
import { getLogger, LoggerNames } from 'livekit-client';
import { provideRandomUuid, type Source } from '../session/randomUuid';

provideRandomUuid(crypto as Source);

// Not by `setLogLevel`, which writes a key for each logger into the browser's storage. All others take theirs from it.
getLogger(LoggerNames.Default).setDefaultLevel('warn');

export { AfterCall } from '../after/AfterCall';
export { keepCall } from '../session/keepCall';
export { openCall } from '../session/openCall';
export { CallScreen } from './CallScreen';
