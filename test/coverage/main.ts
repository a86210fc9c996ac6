/**
 * `npm run coverage`: functions and blocks of the compiler and the runtime that no test reaches, including child processes. If paths are
 * given, only their tests run; `--add` keeps the records of earlier runs; `--show` runs no tests.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';
import { repository } from '../helpers/service-fixture.js';
import { addChildren } from './child-coverage.js';
import { Reached } from './reached.js';
import { unreachedIn } from './unreached.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { add: { type: 'boolean', default: false }, show: { type: 'boolean', default: false } },
});
const folder = join(repository, 'node_modules/.cache/apikiln/coverage');
const children = join(folder, 'children');
if (!values.add && !values.show) rmSync(folder, { recursive: true, force: true });

if (!values.show) {
  Object.assign(process.env, { COVERAGE_FOLDER: folder, NODE_V8_COVERAGE: children });
  const record = join(repository, 'test/coverage/record.ts');
  const options = { config: join(repository, 'vitest.config.ts'), root: repository, watch: false };
  const vitest = await startVitest('test', positionals, options, { test: { setupFiles: [record] } });
  await vitest.close();
}

const reached = new Reached();
const workers = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('worker-')) : [];
for (const name of workers) reached.addJson(readFileSync(join(folder, name), 'utf8'));
addChildren(children, reached);
const { functions, blocks, totals } = unreachedIn(reached);
console.log(`\nFunctions that nothing reaches (${functions.length} of ${totals.functions}):`);
for (const line of functions) console.log(`  ${line}`);
console.log(`\nBlocks of other functions that nothing reaches (${blocks.length} of ${totals.blocks}):`);
for (const line of blocks) console.log(`  ${line}`);
