/** Die Seite auf Deutsch, per Du. */
import type { Words } from '../en';
import { about } from './about';
import { after } from './after';
import { agent } from './agent';
import { call } from './call';
import { captions } from './captions';
import { details } from './details';
import { door } from './door';
import { launcher } from './launcher';
import { problems } from './problems';
import { reach } from './reach';
import { records } from './records';
import { seeing } from './seeing';
import { settings } from './settings';
import { sheet } from './sheet';
import { showing } from './showing';
import { stage } from './stage';
import { timeline } from './timeline';
import { tools } from './tools';
import { trouble } from './trouble';
import { welcome } from './welcome';

export const de: Words = {
  about,
  after,
  agent,
  call,
  captions,
  details,
  door,
  launcher,
  problems,
  reach,
  records,
  seeing,
  settings,
  sheet,
  showing,
  stage,
  timeline,
  tools,
  trouble,
  welcome,
};
