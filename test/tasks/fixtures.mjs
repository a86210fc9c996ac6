/** `npm run fixtures`: writes the expected output of all fixtures, and the generated parts of the reference, anew; the diff is then read like any other change. */
import { prepare, runProgram } from './prepare.mjs';

process.env.UPDATE_FIXTURES = '1';
prepare();
process.exit(
  runProgram('vitest/vitest.mjs', [
    ...['run', 'test/fixtures', 'test/check', 'test/audit', 'test/diff', 'test/explain/explain.test.ts'],
    ...['test/testing/wrong-files.test.ts', 'test/documents/reference.test.ts'],
  ]),
);
