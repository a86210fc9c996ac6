#!/usr/bin/env node
/** The program `apikiln`: gives the command line to commands/command-line.ts, and its status to the system. */
import picocolors from 'picocolors';
import { runCommandLine } from './commands/command-line.js';
import { terminalOf } from './commands/terminal.js';

const args = process.argv.slice(2);
const useColours = picocolors.isColorSupported && process.stderr.isTTY && !args.includes('--no-color');
process.exitCode = await runCommandLine(args, terminalOf(process, useColours));
