/** `npm run coverage`: installs missing programs, then lists code that no test reaches. */
import { prepare, root, runProgram } from './prepare.mjs';

prepare();
process.exit(runProgram('tsx/dist/cli.mjs', ['test/coverage/main.ts', ...process.argv.slice(2)], root));
