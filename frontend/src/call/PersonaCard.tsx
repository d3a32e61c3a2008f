/** Who the agent is, and what the person may change of that: its voice, and the language in which they talk. */

import { AUTO, languageChoices, readChoices, readPersona, spokenHint } from '../agent/persona';
import type { AgentView } from '../agent/useAgent';
import { useConfigure } from './useConfigure';

export function PersonaCard({ agent }: { readonly agent: AgentView }) {
  const attributes = agent.participant?.attributes ?? {};
  const persona = readPersona(attributes);
  const choices = readChoices(attributes);
  const { configure, pending } = useConfigure(agent.participant?.identity);
  if (!persona) return null;
  const { voices } = choices;
  const languages = languageChoices(choices);
  const hint = spokenHint(persona.name, choices);
  return (
    <section className="persona" data-testid="persona" data-voice={persona.voice} data-language={persona.language}>
      <h3>{persona.name}</h3>
      {hint && <p data-testid="speaks">{hint}</p>}
      {voices.length > 0 && (
        <label>
          <span>Voice</span>
          <select
            aria-label="Voice"
            value={persona.voice}
            disabled={pending || voices.length === 1}
            onChange={(event) => configure({ voice: event.target.value })}
          >
            {!voices.includes(persona.voice) && <option value={persona.voice}>{persona.voice || 'its own'}</option>}
            {voices.map((voice) => (
              <option key={voice} value={voice}>
                {voice}
              </option>
            ))}
          </select>
        </label>
      )}
      {languages.length > 1 && (
        <label>
          <span>Language</span>
          <select
            aria-label="Language"
            value={persona.language}
            disabled={pending}
            onChange={(event) => configure({ language: event.target.value })}
          >
            <option value={AUTO}>As you speak</option>
            {!languages.some(({ code }) => code === persona.language) && persona.language !== AUTO && (
              <option value={persona.language}>{persona.language}</option>
            )}
            {languages.map(({ code, name }) => (
              <option key={code} value={code}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
    </section>
  );
}
