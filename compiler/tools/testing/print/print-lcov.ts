/** Coverage as an lcov file, for editors and build servers. */
import { joined } from '../../../notation/written.js';
import { screen, type Shown } from '../../../notation/screen-writer.js';
import { position } from '../../../read/source.js';
import { sharedStarts, type Coverage, type CoveredFile } from '../coverage.js';

export function printLcov({ files }: Coverage): Shown {
  return screen`TN:\n${joined(files.map(recordOf), '\n')}\n`;
}

/** The lcov lines of one file. */
function recordOf({ source, items }: CoveredFile): Shown {
  const lines = new Map<number, number>();
  const branches: string[] = [];
  const taken: number[] = [];
  const shared = sharedStarts(items);
  for (const [block, { span, counts, kind }] of items.entries()) {
    const { line } = position(source, span.start);
    const count = counts.reduce((sum, one) => sum + one, 0);
    lines.set(line, Math.max(lines.get(line) ?? 0, count));
    // A line has one count in lcov, so the uses of a step by several operations are branches, too.
    if (kind !== 'condition' && !shared.has(span.start)) continue;
    taken.push(...counts);
    // In lcov, the branches of an unreached condition are written as a dash.
    if (kind !== 'condition') branches.push(`BRDA:${line},${block},0,${count}`);
    else
      for (const [branch, taken] of counts.entries())
        branches.push(`BRDA:${line},${block},${branch},${count === 0 ? '-' : taken}`);
  }
  const sorted = [...lines].sort(([a], [b]) => a - b);
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
