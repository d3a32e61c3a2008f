/** The words of the first screen, which come with it; the others are fetched with what they are for. */
import { about } from './about';
import { door } from './door';
import { problems } from './problems';
import { settings } from './settings';
import { welcome } from './welcome';

export const first = { about, door, problems, settings, welcome };
