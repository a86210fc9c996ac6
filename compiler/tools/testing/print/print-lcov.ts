/** Coverage as an lcov file, for editors and build servers. */
import { joined } from '../../../notation/written.js';
import { screen, type Shown } from '../../../notation/screen-writer.js';
import { position } from '../../../read/source.js';
import type { Coverage, CoveredFile } from '../coverage.js';

export function printLcov({ files }: Coverage): Shown {
  return screen`TN:\n${joined(files.map(recordOf), '\n')}\n`;
}

/** The lcov lines of one file. */
function recordOf({ source, items }: CoveredFile): Shown {
  const lines = new Map<number, number>();
  const branches: string[] = [];
  for (const [block, { span, counts, kind }] of items.entries()) {
    const { line } = position(source, span.start);
    const count = counts.reduce((sum, one) => sum + one, 0);
    lines.set(line, Math.max(lines.get(line) ?? 0, count));
    // In lcov, the branches of an unreached condition are written as a dash.
    if (kind === 'condition')
      for (const [branch, taken] of counts.entries())
        branches.push(`BRDA:${line},${block},${branch},${count === 0 ? '-' : taken}`);
  }
  const sorted = [...lines].sort(([a], [b]) => a - b);
  const taken = items.filter(({ kind }) => kind === 'condition').flatMap(({ counts }) => counts);
  return screen.list([
    `SF:${source.path}`,
    ...branches,
    `BRF:${taken.length}`,
    `BRH:${taken.filter((count) => count > 0).length}`,
    ...sorted.map(([line, count]) => `DA:${line},${count}`),
    `LF:${sorted.length}`,
    `LH:${sorted.filter(([, count]) => count > 0).length}`,
    'end_of_record',
  ]);
}
