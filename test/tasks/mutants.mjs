/** `npm run mutants`: installs missing programs, then tries mutants of the project's code. */
import { prepare, root, runProgram } from './prepare.mjs';

prepare();
process.exit(runProgram('tsx/dist/cli.mjs', ['test/mutants/code/main.ts', ...process.argv.slice(2)], root));
