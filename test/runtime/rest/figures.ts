/** Prints the measurements of a test as a table. */

/** A case and its result. */
export interface Figure {
  readonly what: string;
  readonly status: number;
  /** The message of the response, or its value. */
  readonly expected: string;
  readonly milliseconds: number;
  /** The peak growth of resident memory, in MB. */
  readonly growth: number;
}

const maxText = 60;

/** The table with a title. */
export function tableOf(title: string, figures: readonly Figure[]): string {
  const rows = figures.map(({ what, status, expected, milliseconds, growth }) => [
    what,
    String(status),
    expected.length > maxText ? `${expected.slice(0, maxText - 1)}…` : expected,
    milliseconds.toFixed(0),
    growth.toFixed(1),
  ]);
  const head = ['case', 'status', 'message or value', 'ms', 'MB'];
  const widths = head.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const lines = [head, ...rows].map((row) =>
    row
      .map((cell, column) =>
        column > 2 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  '),
  );
  return [title, ...lines].map((line) => line.trimEnd()).join('\n');
}
