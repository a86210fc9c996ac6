/** Coverage as an lcov file, which editors and build servers read. */
import { position } from '../../../read/source.js';
import type { Coverage } from '../coverage.js';

export function printLcov({ source, items }: Coverage): string {
  const lines = new Map<number, number>();
  const branches: string[] = [];
  for (const [block, { span, counts, kind }] of items.entries()) {
    const { line } = position(source, span.start);
    const count = counts.reduce((sum, one) => sum + one, 0);
    lines.set(line, Math.max(lines.get(line) ?? 0, count));
    // A condition that nothing has reached has no branch that was not taken: lcov writes a dash.
    if (kind === 'condition')
      for (const [branch, taken] of counts.entries())
        branches.push(`BRDA:${line},${block},${branch},${count === 0 ? '-' : taken}`);
  }
  const sorted = [...lines].sort(([a], [b]) => a - b);
  const taken = items.filter(({ kind }) => kind === 'condition').flatMap(({ counts }) => counts);
  return [
    'TN:',
    `SF:${source.path}`,
    ...branches,
    `BRF:${taken.length}`,
    `BRH:${taken.filter((count) => count > 0).length}`,
    ...sorted.map(([line, count]) => `DA:${line},${count}`),
    `LF:${sorted.length}`,
    `LH:${sorted.filter(([, count]) => count > 0).length}`,
    'end_of_record',
    '',
  ].join('\n');
}
