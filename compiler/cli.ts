#!/usr/bin/env node
/** The command line: which command with which options; everything else is in commands/. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import picocolors from 'picocolors';
import { build, type BuildOptions } from './commands/build.js';
import { check } from './commands/check.js';
import { CommandError, exitStatus } from './commands/exit-status.js';
import type { CompilationOptions } from './commands/run-compilation.js';
import { terminalOf, type Terminal } from './commands/terminal.js';

function program(run: (command: (terminal: Terminal) => Promise<number>) => Promise<void>): Command {
  const apikiln = new Command('apikiln')
    .description('Compiles one config.yaml to a readable, self-contained TypeScript service.')
    .option('--no-color', 'plain text, also on a terminal')
    .helpCommand(false)
    .addHelpText(
      'after',
      `\nExit status: 0 fine, 1 the configuration has errors, 2 wrong use, 3 drift (build --check), 4 a file is not there.`,
    );

  withCommonOptions(apikiln.command('build'))
    .summary('write the service')
    .description(
      'Compiles the configuration and writes the service, ready for npm install, npm run build, npm start.',
    )
    .requiredOption('-o, --out <dir>', 'the folder of the service; it is made if it is not there')
    .option('--check', 'write nothing; print what a build would change, and exit with 3 if there is anything')
    .option('--force', 'also replace files that no build wrote, or that were edited by hand')
    .action((config: string | undefined, options: BuildOptions) =>
      run((terminal) => build(config, options, terminal)),
    );

  withCommonOptions(apikiln.command('check'))
    .summary('say what is wrong with the configuration')
    .description('Says everything that build would say, and writes nothing.')
    .action((config: string | undefined, options: CompilationOptions) =>
      run((terminal) => check(config, options, terminal)),
    );

  return apikiln;
}

function withCommonOptions(command: Command): Command {
  return command
    .argument('[config]', 'the configuration (default: ./config.yaml, then /app/config.yaml)')
    .addOption(
      new Option('--format <format>', 'how diagnostics are printed')
        .choices(['text', 'json'])
        .default('text'),
    )
    .option('--quiet', 'only errors')
    .option('--max-warnings <n>', 'exit with 1 when there are more warnings', wholeNumber);
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

async function main(): Promise<void> {
  const useColours =
    picocolors.isColorSupported && process.stderr.isTTY && !process.argv.includes('--no-color');
  const terminal = terminalOf(process, useColours);
  const apikiln = program(async (command) => {
    process.exitCode = await command(terminal);
  });
  for (const command of [apikiln, ...apikiln.commands]) command.exitOverride();
  try {
    await apikiln.parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? exitStatus.fine : exitStatus.usage;
    } else if (error instanceof CommandError) {
      terminal.tell(error.message);
      process.exitCode = error.status;
    } else {
      throw error;
    }
  }
}

await main();
