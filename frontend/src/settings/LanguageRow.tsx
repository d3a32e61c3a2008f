/** In which language a person is heard: the likely ones in front, and of many those that match what is typed. */
import { useId, useState } from 'react';
import { AUTO, type LanguageGroup, matching } from '../agent/persona';
import { words } from '../words/words';
import { SelectRow } from './rows';

interface Props {
  readonly groups: readonly LanguageGroup[];
  readonly value: string;
  readonly busy: boolean;
  readonly pick: (code: string) => void;
}

/** A longer list is searched. */
const FEW = 12;

export function LanguageRow({ groups, value, busy, pick }: Props) {
  const id = useId();
  const [sought, setSought] = useState('');
  const found = matching(groups, sought);
  const all = groups.flatMap(({ languages }) => languages);
  const chosen = all.find(({ code }) => code === value);
  const options = found.flatMap(({ of, languages }) =>
    languages.map(({ code, name }) => ({
      value: code,
      name,
      group: groups.length > 1 ? words.sheet.languageGroups[of] : undefined,
    })),
  );
  const first = options[0];
  const missing = chosen && !options.some((option) => option.value === value);
  return (
    <>
      <SelectRow
        label={words.sheet.language}
        testid="language"
        value={value}
        busy={busy}
        options={[
          { value: AUTO, name: words.sheet.asYouSpeak },
          ...(missing ? [{ value, name: chosen.name }] : []),
          ...options,
        ]}
        pick={pick}
      />
      {all.length > FEW && (
        <div className="setting-row">
          <label htmlFor={id}>{words.sheet.findLanguage}</label>
          <div className="setting-value">
            <input
              id={id}
              type="search"
              data-testid="find-language"
              autoComplete="off"
              enterKeyHint="done"
              value={sought}
              onChange={({ target }) => setSought(target.value)}
              onKeyDown={({ key, nativeEvent }) => {
                const done = key === 'Enter' && !nativeEvent.isComposing; // else it ends a word that is being composed
                if (done && sought && first && !busy) pick(first.value);
              }}
            />
          </div>
          <small role="status" data-testid="found-languages">
            {sought && words.sheet.foundLanguages(options.length, first?.name ?? '')}
          </small>
        </div>
      )}
    </>
  );
}
