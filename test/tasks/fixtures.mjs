/** `npm run fixtures`: writes the expected output of all fixtures anew; the diff is then read like any other change. */
import { prepare, runProgram } from './prepare.mjs';

process.env.UPDATE_FIXTURES = '1';
prepare();
process.exit(runProgram('vitest/vitest.mjs', ['run', 'test/fixtures', 'test/check']));
