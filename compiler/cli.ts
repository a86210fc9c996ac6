#!/usr/bin/env node
/** The program `apikiln`: gives the command line to commands/command-line.ts, and its status to the system. */
import picocolors from 'picocolors';
import { leaveOnSignals } from './commands/leave-on-signals.js';
import { terminalOf } from './commands/terminal.js';

const args = process.argv.slice(2);
// Before the rest is loaded, which takes a while.
if (args[0] === 'serve') leaveOnSignals(process);
else {
  for (const stream of [process.stdout, process.stderr]) {
    // Whoever read it, such as `head`, has seen enough.
    stream.on('error', () => process.exit());
  }
}
const { runCommandLine } = await import('./commands/command-line.js');
const useColours = picocolors.isColorSupported && process.stderr.isTTY && !args.includes('--no-color');
process.exitCode = await runCommandLine(args, terminalOf(process, useColours));
