/** `npm run mutants`: mutates a random part of the project's code, and lists mutants that no test finds. See `-- --help`. */
import { parseArgs } from 'node:util';
import { areas, endless } from './areas.js';
import { tryArea, type Result } from './try-area.js';

const help = `npm run mutants                          a part of the mutants of each area
npm run mutants -- sql plan              of these only, of: ${areas.map(({ name }) => name).join(' ')}
npm run mutants -- --count 100           the number of mutants for each area (60)
npm run mutants -- --seed 7              those of an earlier run
npm run mutants -- --quick               with a few tests only, as in the long run of the tests
npm run mutants -- --json                the results as JSON, for programs
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  process.stdout.write(help);
  process.exit(0);
}

const known = [...areas, endless];
const unknown = positionals.find((name) => !known.some((area) => area.name === name));
if (unknown !== undefined) {
  console.error(`There is no area '${unknown}'.\n\n${help}`);
  process.exit(1);
}

const chosen = positionals.length === 0 ? areas : known.filter(({ name }) => positionals.includes(name));
/** A small sample ends in bounded time even on a busy machine: each area gets its share of the remaining time. */
const end = values.quick ? Date.now() + 360_000 : Infinity;
const results: Result[] = [];
console.error(`seed ${values.seed}`);
for (const [index, area] of chosen.entries())
  results.push(
    await tryArea(area, {
      count: Number(values.count),
      seed: Number(values.seed),
      isQuick: values.quick,
      mostTries: values.quick ? 40 : 400,
      patience: values.quick ? 5_000 : 10_000,
      until: Date.now() + (end - Date.now()) / (chosen.length - index),
      say: (line) => {
        console.error(line);
      },
    }),
  );

if (values.json) console.log(JSON.stringify({ seed: Number(values.seed), results }));
else for (const result of results) print(result);
process.exit(0);

function print({ area, total, found, survivors, unmet, unjudged }: Result): void {
  const judged = found.length + survivors.length;
  const share = judged === 0 ? 0 : Math.round((100 * found.length) / judged);
  console.log(
    `${area}: ${found.length} of ${judged} found (${share} %); ${total} mutants, seed ${values.seed}`,
  );
  for (const mutant of survivors)
    console.log(`  ${unmet.includes(mutant) ? 'not met: ' : ''}${mutant.description}`);
  for (const { description } of unjudged) console.log(`  not judged: ${description}`);
}
