/** The plot of the README: throughput ratios, drawn from the table in test/bench/README.md (`npm run bench -- --plot`). */

interface Bar {
  readonly label: string;
  readonly ratio: number;
  /** The minimum and maximum over all rounds. */
  readonly spread: readonly [number, number];
}

/** Rows to draw, by the beginning of their goal, with the labels of their bars. */
const drawn: readonly (readonly [goal: string, label: string])[] = [
  ['PostgreSQL, throughput against Express 5', 'two SELECTs, Express 5 + pg'],
  ['PostgreSQL, throughput against Fastify 5', 'two SELECTs, Fastify 5 + prepared statements'],
  ['PostgreSQL, share of pgbench', 'two SELECTs, pgbench -M prepared'],
  ['PostgreSQL, one INSERT', 'one INSERT, Express 5 + pg'],
  ['PostgreSQL, a transaction', 'a transaction, Express 5 + pg'],
  ['LOOP of 100 READs, throughput of 8 clients', '100 SELECTs in a loop, Express 5 + pg'],
  ['List of 10,000 rows', '10,000 rows as JSON, Express 5 + pg'],
  ['Body of 100 kB', 'a body of 100 kB validated, Express 5 + ajv'],
  ['MariaDB, throughput', 'MariaDB: two SELECTs, Express 5 + mysql2'],
  ['MariaDB, one INSERT', 'MariaDB: one INSERT, Express 5 + mysql2'],
  ['MariaDB, a transaction', 'MariaDB: a transaction, Express 5 + mysql2'],
];

/** The bars of a table. Throws if a row is missing or has an invalid figure. */
function barsOf(table: string): Bar[] {
  const rows = table
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  return drawn.map(([goal, label]) => {
    const [, , , measured = '', spread = '', verdict] =
      rows.find(([, name = '']) => name.startsWith(goal)) ?? [];
    const ratio = Number(/^([\d.]+) ×$/.exec(measured)?.[1]);
    const [low, high] = spread.split('–').map(Number);
    if (!(ratio > 0) || verdict === 'invalid')
      throw new Error(`The table has no valid figure for '${goal}'.`);
    return { label, ratio, spread: [low ?? ratio, high ?? ratio] };
  });
}

const size = { row: 26, label: 330, width: 820, top: 44, right: 60 };

/** The SVG of the table. */
export function plotOf(table: string): string {
  const bars = barsOf(table);
  const max = Math.max(...bars.map(({ spread: [, high] }) => high));
  const scale = (size.width - size.label - size.right) / max;
  const height = size.top + bars.length * size.row + 8;
  const x = (ratio: number): string => (size.label + ratio * scale).toFixed(1);
  const lines = bars.flatMap(({ label, ratio, spread: [low, high] }, index) => {
    const y = size.top + index * size.row;
    const middle = y + size.row / 2;
    return [
      `  <text x="${size.label - 10}" y="${middle + 4}" text-anchor="end">${label}</text>`,
      `  <rect x="${size.label}" y="${y + 5}" width="${(ratio * scale).toFixed(1)}" height="${size.row - 10}"/>`,
      `  <path class="spread" d="M${x(low)} ${middle}H${x(high)}"/>`,
      `  <text x="${(size.label + high * scale + 8).toFixed(1)}" y="${middle + 4}">${ratio.toFixed(1)} ×</text>`,
    ];
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${height}" viewBox="0 0 ${size.width} ${height}" role="img">
  <title>Requests a second of a generated service, as a multiple of servers written by hand</title>
  <style>
    text { font: 13px system-ui, sans-serif; fill: #24292f }
    .head { font-weight: 600 }
    rect { fill: #2f7d6d }
    path { stroke: #57606a; fill: none }
    .spread { stroke: #1b1f24; stroke-opacity: 0.55; stroke-width: 2 }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 }
      rect { fill: #3fa08c }
      path { stroke: #8b949e }
      .spread { stroke: #ffffff }
    }
  </style>
  <text class="head" x="10" y="18">Requests a second, as a multiple of the hand-written server that is named (lines: all rounds)</text>
${lines.join('\n')}
  <path d="M${x(1)} ${size.top - 6}V${height - 4}" stroke-dasharray="3 3"/>
  <text x="${x(1)}" y="${size.top - 10}" text-anchor="middle">1 ×</text>
</svg>
`;
}
