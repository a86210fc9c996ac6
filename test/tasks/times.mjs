/** `npm run times`: records in `test/times.json` how long each test file took in the last complete `npm test` and `npm run test:long`. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, root, stop } from './prepare.mjs';

const path = join(root, 'test/times.json');
const runs = ['quick', 'long']
  .map((part) => join(root, `node_modules/.cache/apikiln/times-${part}.json`))
  .filter((file) => existsSync(file))
  .map(readJson);
if (runs.length === 0) stop('No run has been recorded: call npm test and npm run test:long first.');
const before = existsSync(path) ? readJson(path) : {};
const times = Object.entries(Object.assign({}, before, ...runs))
  .filter(([file]) => existsSync(join(root, file)))
  .sort(([one], [other]) => (one < other ? -1 : 1));
writeFileSync(path, `${JSON.stringify(Object.fromEntries(times), undefined, 2)}\n`);
