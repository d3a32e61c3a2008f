/** Voice, language, and what the agent does of its own accord. */
import { languageGroups, spokenHint } from '../agent/persona';
import { Icon } from '../ui/Icon';
import { words } from '../words/words';
import type { PersonaControl } from './controls';
import { LanguageRow } from './LanguageRow';
import { SelectRow, SwitchRow } from './rows';

export function PersonaRows({ control }: { readonly control: PersonaControl }) {
  const { persona, choices, speaksUp, speaksFirst, pending, change, sample, sampleProblem, inCall } = control;
  const { voices, personas } = choices;
  const languages = languageGroups(choices, navigator.languages);
  const many = languages.flatMap((group) => group.languages).length > 1;
  const hint = spokenHint(choices);
  const firstHint = speaksFirst ? words.sheet.speaksFirstHint : words.sheet.speaksFirstOff;
  return (
    <div
      className="setting-group"
      data-testid="persona"
      data-name={persona.name}
      data-voice={persona.voice}
      data-language={persona.language}
    >
      {hint && (
        <p className="fine" data-testid="speaks">
          {hint}
        </p>
      )}
      {personas.length > 1 && (
        <SelectRow
          label={words.sheet.persona}
          testid="persona-choice"
          value={persona.name}
          busy={pending}
          options={personas.map((name) => ({ value: name, name }))}
          pick={(name) => change({ persona: name })}
        />
      )}
      {voices.length > 0 ? (
        <SelectRow
          label={words.sheet.voice}
          testid="voice"
          value={persona.voice}
          busy={pending}
          disabled={voices.length === 1}
          options={[
            ...(persona.voice ? [] : [{ value: '', name: words.sheet.ownVoice }]),
            ...voices.map((voice) => ({ value: voice, name: voice })),
          ]}
          pick={(voice) => change({ voice })}
        >
          {sample && (
            <button
              type="button"
              className="small"
              data-testid="sample"
              aria-disabled={pending}
              onClick={pending ? undefined : sample}
            >
              <Icon name="play" /> {words.sheet.sample}
            </button>
          )}
        </SelectRow>
      ) : (
        !inCall && <p className="fine">{words.sheet.voiceLater}</p>
      )}
      <p className="fine" role="status" data-testid="sample-problem" hidden={!sampleProblem}>
        {sampleProblem}
      </p>
      {many && (
        <LanguageRow
          groups={languages}
          value={persona.language}
          busy={pending}
          pick={(language) => change({ language })}
        />
      )}
      <SwitchRow
        label={words.sheet.speaksFirst}
        hint={inCall ? `${firstHint} ${words.sheet.nextCall}` : firstHint}
        testid="speaks-first"
        on={speaksFirst}
        busy={pending}
        turn={(on) => change({ speaks_first: on })}
      />
      {speaksUp !== null && (
        <SwitchRow
          label={words.sheet.speaksUp.title}
          hint={speaksUp ? words.sheet.speaksUp.on : words.sheet.speaksUp.off}
          testid="speaks-up"
          on={speaksUp}
          busy={pending}
          turn={(on) => change({ proactive: on })}
        />
      )}
    </div>
  );
}
