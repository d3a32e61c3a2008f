/** Shows what the agent itself complains about, for as long as it does. */
import { useEffect } from 'react';
import { useReporter } from '../toasts/reporter';

const CODE = 'agent';

export function AgentComplaint({ text }: { text: string }) {
  const { report, withdraw } = useReporter();
  useEffect(() => {
    if (!text) return;
    report({
      code: CODE,
      title: text,
      advice: 'Say it again in a moment. If it stays so, leave and start a new call.',
    });
    return () => withdraw(CODE);
  }, [text, report, withdraw]);
  return null;
}
