#!/usr/bin/env node
/** The `apikiln` program: runs commands/command-line.ts with the arguments and exits with its status. */
import * as module from 'node:module';
import { isIsolated, runIsolated } from './tools/commands/shared/crashes.js';
import { leaveOnSignals } from './tools/commands/shared/signals.js';
import { readVersion } from './tools/commands/shared/files/package-folder.js';

const args = process.argv.slice(2);
// Node 22.8 and later can cache compiled code in the temporary folder, as tsc does.
(module as { enableCompileCache?: () => void }).enableCompileCache?.();
// Installed before the remaining modules load, which takes a while.
if (args[0] === 'serve') leaveOnSignals(process);
else {
  for (const stream of [process.stdout, process.stderr]) {
    // The reader, such as `head`, closed the pipe because it needs no more output.
    stream.on('error', () => process.exit());
  }
}
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V'))
  process.stdout.write(`${readVersion()}\n`);
else if (isIsolated(args, process.env))
  process.exitCode = runIsolated(process.argv[1] ?? '', args, (line) => process.stderr.write(`${line}\n`));
else {
  const [{ runCommandLine }, { colouredStreams, terminalOf }] = await Promise.all([
    import('./tools/commands/command-line.js'),
    import('./tools/commands/shared/output/terminal.js'),
  ]);
  process.exitCode = await runCommandLine(args, terminalOf(process, colouredStreams(process, args)));
}
