/** `npm run bench`: installs missing programs, then runs the benchmark. */
import { prepare, root, runProgram } from './prepare.mjs';

prepare();
process.exit(runProgram('tsx/dist/cli.mjs', ['test/bench/main.ts', ...process.argv.slice(2)], root));
