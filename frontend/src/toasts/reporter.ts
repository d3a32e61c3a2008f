/** How any part of the page tells the person about a problem, or takes it back. */
import { createContext, useContext } from 'react';
import type { Problem } from '../session/problems';

export interface Reporter {
  report(problem: Problem): void;
  withdraw(code: string): void;
}

export const ReporterContext = createContext<Reporter>({ report: () => {}, withdraw: () => {} });

export function useReporter(): Reporter {
  return useContext(ReporterContext);
}
