/** The most important goals, shown in the main README: rows of the table in test/bench/README.md (`npm run bench -- --plot`). */

/** Beginnings of table rows, with their labels in the README; at most twelve. */
const shown: readonly (readonly [goal: string, words: string])[] = [
  ['PostgreSQL, throughput against Express 5', 'PostgreSQL, requests a second: Express 5 + pg'],
  ['PostgreSQL, throughput against Fastify 5', 'Fastify 5 + named prepared statements'],
  ['PostgreSQL, share of pgbench', 'PostgreSQL’s own `pgbench`'],
  ['MariaDB, throughput', 'MariaDB: Express 5 + mysql2'],
  ['List of 10,000 rows', 'list of 10,000 rows: Express 5 + pg'],
  ['Peak resident memory of it', 'memory of that list'],
  ['LOOP of 100 READs, throughput of 8 clients', '100 READs in a LOOP: the same by hand'],
  ['Third-party call', 'third-party API: Express 5 + axios'],
  ['1,000 operations: throughput', '1,000 operations: the service with 10'],
  ['From start to first response with 1000', 'start with 1,000 operations, beyond Node’s'],
  ['Resident memory with 10 operations', 'idle memory'],
  ['Compile 1000 operations', 'build of 1,000 operations'],
];

/** Prints two goals in each line. Throws if a row is missing. */
export function goalsOf(table: string): string {
  const rows = table
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const cells = shown.map(([goal, words]) => {
    const [, , target, measured, , verdict] = rows.find(([, name = '']) => name.startsWith(goal)) ?? [];
    if (measured === undefined) throw new Error(`The table has no row for '${goal}'.`);
    return `${words} | ${target} | ${verdict === 'met' ? measured : `${measured} (${verdict})`}`;
  });
  const lines = cells.flatMap((cell, index) =>
    index % 2 === 0 ? [`| ${cell} | ${cells[index + 1]} |`] : [],
  );
  return ['| Against | Goal | Seen | Against | Goal | Seen |', '|---|---|---|---|---|---|', ...lines].join(
    '\n',
  );
}

const place = /(<!-- prettier-ignore -->\n)\| Against [^]*?(?=\n\n)/;

/** The README with the goals from the table. */
export function withGoals(readme: string, table: string): string {
  if (!place.test(readme)) throw new Error('The README has no table of goals.');
  return readme.replace(place, (_, before: string) => before + goalsOf(table));
}
