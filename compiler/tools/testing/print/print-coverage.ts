/** Coverage as a text table: operations, and parts that no test has reached. */
import { screen, type Shown } from '../../../notation/screen-writer.js';
import { lineOf, type Coverage, type CoveredItem, type CoverageShare } from '../coverage.js';

export function coverageTable({ operations, summary }: Coverage): Shown {
  const head = ['Coverage', 'all', 'steps', 'conditions', 'responses', 'not reached in lines'];
  const row = (name: string, one: Coverage['summary'], missed: readonly CoveredItem[]): string[] => [
    name,
    `${one.percent.toFixed(1)} %`,
    share(one.steps),
    share(one.conditions),
    share(one.responses),
    linesOf(missed),
  ];
  const rows = [
    head,
    ...operations.map(({ name, summary: one, missed }) => row(name, one, missed)),
    row('all operations', summary, []),
  ];
  const widths = head.map((_, column) => Math.max(...rows.map((cells) => widthOf(cells[column] ?? ''))));
  return screen.list(
    rows.map((cells) =>
      cells
        .map((cell, column) => pad(cell, widths[column] ?? 0, column))
        .join('  ')
        .trimEnd(),
    ),
  );
}

function share({ covered, total }: CoverageShare): string {
  return total === 0 ? '–' : `${covered}/${total}`;
}

/** Aligns names to the left and numbers to the right. */
function pad(cell: string, width: number, column: number): string {
  const spaces = ' '.repeat(width - widthOf(cell));
  return column === 0 || column === 5 ? cell + spaces : spaces + cell;
}

/** Lines of the items, each once: `12, 14 (never false)`. */
function linesOf(items: readonly CoveredItem[]): string {
  const lines = new Map<number, string>();
  for (const item of items) {
    const line = lineOf(item);
    if (!lines.has(line)) lines.set(line, outcomeOf(item));
  }
  const [first] = items;
  const file = first?.span.source.includedAs === undefined ? '' : `${first.span.source.path}: `;
  return file + [...lines].map(([line, outcome]) => `${line}${outcome}`).join(', ');
}

/** Outcomes of a condition that did not occur. */
function outcomeOf({ counts, kind }: CoveredItem): string {
  if (kind !== 'condition' || counts.every((count) => count === 0)) return '';
  return counts[0] === 0 ? ' (never true)' : ' (never false)';
}

/** The width in characters; names of operations do not contain wide characters. */
function widthOf(text: string): number {
  return Array.from(text).length;
}
