/**
 * `npm run fixtures`: updates the expected output of all fixtures, and the generated parts of the reference; review the diff like any other
 * change.
 */
import { prepare, runProgram } from './prepare.mjs';

process.env.UPDATE_FIXTURES = '1';
prepare();
process.exit(
  runProgram('vitest/vitest.mjs', [
    ...['run', 'test/fixtures', 'test/check', 'test/audit', 'test/diff', 'test/explain/explain.test.ts'],
    'test/client/clients.test.ts',
    ...['test/testing/wrong-files.test.ts', 'test/documents/reference.test.ts'],
  ]),
);
