/** Finds strings of the configuration that already have errors, so that their expressions are unreliable. */
import type { Span } from '../../read/source.js';
import type { Analysis } from '../operations/analysis.js';

/** Whether an error was reported in the YAML string that contains the span. */
export function hasErrorIn({ errorSpans }: Analysis, { source, start, end, scalar }: Span): boolean {
  const [from, to] = [scalar?.start ?? start, scalar?.end ?? end];
  return errorSpans.some((error) => error.source === source && error.start < to && from < error.end);
}
