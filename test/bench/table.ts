/** Prints rows for a terminal, and as Markdown. */
import { verdictOf, type Row, type Target } from './row.js';
import { median } from './statistics.js';

/** A line for the goal's figure, and a line for each contender. */
export function printedRow(row: Row): string {
  const { figure, spread, verdict } = cells(row);
  const head = `${row.job.padEnd(9)} ${row.goal}: ${figure} ${spread} (goal ${targetText(row.target)}) ${verdict}`;
  const reason = row.reason === undefined ? [] : [`          ${row.reason}`];
  const parts = row.parts.map(
    ({ name, seen, failures }) => `          ${name.padEnd(24)} ${seen}${failureText(failures)}`,
  );
  return [head.replaceAll(/ {2,}\(/g, ' ('), ...reason, ...parts].join('\n');
}

/** The table for a Markdown page. */
export function markdownTable(rows: readonly Row[]): string {
  const lines = rows.map((row) => {
    const { figure, spread, verdict } = cells(row);
    const seen = row.parts.map((part) => `${part.name}: ${part.seen}${failureText(part.failures)}`);
    const details = [...(row.reason === undefined ? [] : [row.reason]), ...seen].join('<br>');
    return `| ${row.goal} | ${targetText(row.target)} | ${figure} | ${spread} | ${verdict} | ${details} |`;
  });
  return ['| Goal | Target | Measured | Spread | | Seen |', '|---|---|---|---|---|---|', ...lines].join('\n');
}

function cells(row: Row) {
  const { figures, target } = row;
  const figure = median(figures);
  const spread = figures.length > 1 ? `${round(Math.min(...figures))}–${round(Math.max(...figures))}` : '';
  return {
    figure: figures.length === 0 ? '–' : `${round(figure)} ${target.unit}`,
    spread,
    verdict: verdictOf(row),
  };
}

function targetText({ kind, value, unit }: Target): string {
  return `${kind === 'minimum' ? '≥' : '≤'} ${value} ${unit}`;
}

function failureText(failures: number | undefined): string {
  if (failures === undefined) return '';
  return failures === 0 ? ', no failures' : `, ${failures} FAILURES`;
}

function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
