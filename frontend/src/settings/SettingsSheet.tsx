/** All that a person can set, the same before a call and in it. */
import '../styles/settings.css';
import { DeviceRows } from '../devices/DeviceRows';
import { Icon } from '../ui/Icon';
import { words } from '../words/words';
import type { DeviceControl, PersonaControl } from './controls';
import { PageRows } from './PageRows';
import { PersonaRows } from './PersonaRows';
import { TalkRows } from './TalkRows';

interface Props {
  readonly persona: PersonaControl;
  readonly devices: DeviceControl;
  readonly close: () => void;
}

export function SettingsSheet({ persona, devices, close }: Props) {
  return (
    <div className="sheet-body">
      <header>
        <h2 id="sheet-title">{words.settings.title}</h2>
        <button
          type="button"
          className="quiet"
          data-testid="sheet-close"
          aria-label={words.sheet.close}
          onClick={close}
        >
          <Icon name="close" />
        </button>
      </header>
      <section aria-labelledby="sheet-aura">
        <h3 id="sheet-aura">{words.sheet.aura}</h3>
        <PersonaRows control={persona} />
      </section>
      <section aria-labelledby="sheet-talking">
        <h3 id="sheet-talking">{words.sheet.talking}</h3>
        <TalkRows control={persona} />
      </section>
      <section aria-labelledby="sheet-devices">
        <h3 id="sheet-devices">{words.sheet.devices}</h3>
        <DeviceRows control={devices} />
      </section>
      <section aria-labelledby="sheet-page">
        <h3 id="sheet-page">{words.sheet.page}</h3>
        <PageRows />
      </section>
    </div>
  );
}
