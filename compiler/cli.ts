#!/usr/bin/env node
/** The program `apikiln`: passes the command line to commands/command-line.ts, and its status to the system. */
import * as module from 'node:module';
import { isIsolated, runIsolated } from './tools/commands/shared/crashes.js';
import { leaveOnSignals } from './tools/commands/shared/signals.js';
import { readVersion } from './tools/commands/shared/files/package-folder.js';

const args = process.argv.slice(2);
// Since Node 22.8, compiled code is cached in the system's folder for temporary files, as tsc does.
(module as { enableCompileCache?: () => void }).enableCompileCache?.();
// Before the rest is loaded, which takes a while.
if (args[0] === 'serve') leaveOnSignals(process);
else {
  for (const stream of [process.stdout, process.stderr]) {
    // The reader, such as `head`, has closed the pipe: it has seen enough.
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
