/** Errors that the service sends but its API description does not contain. */
import { missingResponses } from '../../analyze/describe/missing-responses.js';
import type { Analysis } from '../../analyze/operations/analysis.js';
import type { Risk } from './risk.js';

/**
 * A single risk for the whole description, because most descriptions lack either all or none. A comment at the first operation accepts it.
 */
export function undescribedErrors(analysis: Analysis): Risk[] {
  const missing = missingResponses(analysis);
  const [first] = missing;
  const { config, description } = analysis;
  const place = config.operations.find(({ endpoint }) => endpoint !== undefined);
  if (first === undefined || place === undefined || description === undefined) return [];
  const counts = new Map<string, number>();
  for (const status of missing.flatMap(({ responses }) => Object.keys(responses)))
    counts.set(status, (counts.get(status) ?? 0) + 1);
  const sorted = [...counts].sort(([a], [b]) => Number(a) - Number(b));
  const list = sorted.map(([status, count], index) => {
    const operations = count === 1 ? 'operation' : 'operations';
    return `${status} in ${count}${index === 0 ? ` ${operations}` : ''}`;
  });
  return [
    {
      rule: 'undescribed-errors',
      severity: 'low',
      span: place.name.span,
      message: `Clients get errors that ${description.source.path} does not describe: ${list.join(', ')}. The first operation is '${first.operation.name.value}'.`,
      hint: "'apikiln openapi --merge' adds them; a response 'default' describes all of them.",
    },
  ];
}
