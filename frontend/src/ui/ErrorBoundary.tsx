/** Shows words in place of a page that broke. */
import { Component, type ReactNode } from 'react';
import { words } from '../words/words';
import { ForOperator } from './ForOperator';

interface Props {
  readonly children: ReactNode;
}

export class ErrorBoundary extends Component<Props, { readonly error: unknown }> {
  override state = { error: null as unknown };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <main className="broken" role="alert" data-testid="broken">
        <h1>{words.problems.broken}</h1>
        <p>{words.problems.brokenAdvice}</p>
        <button type="button" className="primary" onClick={() => window.location.reload()}>
          {words.problems.reload}
        </button>
        <ForOperator text={error instanceof Error ? (error.stack ?? error.message) : String(error)} />
      </main>
    );
  }
}
