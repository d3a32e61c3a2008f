/** How one talks with the agent: held or open, aloud or in writing, and how its words are shown. */
import { typingOnly } from '../devices/typingOnly';
import { useTouch } from '../ui/useTouch';
import { words } from '../words/words';
import type { PersonaControl } from './controls';
import { ChoiceRow, SwitchRow } from './rows';
import { CAPTION_SIZES, modalityOf } from './settings';
import { settingsStore, useSettings } from './store';

export function TalkRows({ control }: { readonly control: PersonaControl }) {
  const settings = useSettings();
  const touch = useTouch();
  const sheet = words.sheet;
  const heldHint = touch ? sheet.hold.onTouch : sheet.hold.on;
  return (
    <div className="setting-group">
      {!typingOnly() && (
        <SwitchRow
          label={sheet.hold.title}
          hint={settings.holdToTalk ? heldHint : sheet.hold.off}
          testid="hold-to-talk"
          on={settings.holdToTalk}
          turn={(holdToTalk) => settingsStore.set({ holdToTalk })}
        />
      )}
      <SwitchRow
        label={sheet.textOnly}
        hint={control.textOnly ? sheet.textOnlyOn : sheet.textOnlyOff}
        testid="text-only"
        on={control.textOnly}
        busy={control.pending}
        turn={(on) => control.change({ modality: modalityOf(on) })}
      />
      <ChoiceRow
        label={sheet.captionSize}
        testid="caption-size"
        value={settings.captionSize}
        options={CAPTION_SIZES.map((value) => ({ value, name: sheet.captionSizes[value] }))}
        pick={(captionSize) => settingsStore.set({ captionSize })}
      />
      <SwitchRow
        label={sheet.readCaptions}
        hint={sheet.readCaptionsHint}
        testid="read-captions"
        on={settings.readCaptions}
        turn={(readCaptions) => settingsStore.set({ readCaptions })}
      />
    </div>
  );
}
