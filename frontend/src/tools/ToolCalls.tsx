/** The tools that the agent has used in this call, newest first: how each stands, how long it took, and folded, the rest. */
import type { ToolReport } from '../agent/attributes';
import { seconds } from '../ui/format';
import { useSecondsOf } from '../ui/useSecondsOf';
import { words } from '../words/words';

const SHOWN = 20;

export function ToolCalls({ tools }: { readonly tools: readonly ToolReport[] }) {
  if (tools.length === 0) return null;
  return (
    <section className="tools" aria-labelledby="tools-title">
      <h3 id="tools-title">{words.tools.title}</h3>
      <ol>
        {tools
          .slice(-SHOWN)
          .toReversed()
          .map((tool) => (
            <li key={tool.callId} data-testid="tool" data-name={tool.name} data-state={tool.state}>
              <ToolCall tool={tool} />
            </li>
          ))}
      </ol>
    </section>
  );
}

function ToolCall({ tool }: { readonly tool: ToolReport }) {
  const { given, took, states, result, unfinished } = words.tools;
  const { state, ms } = tool;
  const runs = useSecondsOf(state === 'running');
  return (
    <details>
      <summary>
        <code>{tool.name}</code> <span>{states[state]}</span>
        <span className="total">{state === 'running' ? took(`${runs} s`) : state === 'lost' ? '–' : seconds(ms)}</span>
      </summary>
      <dl>
        <dt>{given}</dt>
        <dd>
          <code>{indented(tool.given)}</code>
        </dd>
        <dt>{result}</dt>
        <dd>{tool.result || (state === 'running' ? unfinished : '–')}</dd>
      </dl>
    </details>
  );
}

/** JSON in lines; what was cut stays as it is. */
export function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
