/** Die Worte der ersten Seite, die allein vor ihr geladen werden. */
import { about } from './about';
import { door } from './door';
import { problems } from './problems';
import { settings } from './settings';
import { welcome } from './welcome';

export const first = { about, door, problems, settings, welcome };
