/** `npm run bench`: installs what is missing, then measures. */
import { prepare, root, runProgram } from './prepare.mjs';

prepare();
process.exit(runProgram('tsx/dist/cli.mjs', ['test/bench/main.ts', ...process.argv.slice(2)], root));
