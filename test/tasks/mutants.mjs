/** `npm run mutants`: installs what is missing, then tries mutants of the project's own code. */
import { prepare, root, runProgram } from './prepare.mjs';

prepare();
process.exit(runProgram('tsx/dist/cli.mjs', ['test/mutants/code/main.ts', ...process.argv.slice(2)], root));
