/** Runs one command from the command line and reports its failure. */
import { screen } from '../../notation/screen-writer.js';
import { type Command, CommanderError } from 'commander';
import { helpOfTopic, topics, unknownTopic } from './help-topic.js';
import { program } from './program.js';
import { CommandError, exitStatus } from './shared/output/exit-status.js';
import { readVersion } from './shared/files/package-folder.js';
import { formats, type Format } from './shared/output/formats.js';
import type { Terminal } from './shared/output/terminal.js';

/** Runs one command and returns its exit status. `args` excludes the program name. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  const format = formatOf(args);
  const shown = format === 'text' ? terminal : onlyDocument(terminal);
  let status: number = exitStatus.fine;
  const apikiln = program(async (work) => {
    if (process.env[provokeFailure] !== undefined) throw new Error("provoked by 'hunter2'");
    status = await work(shown);
  });
  for (const one of [apikiln, ...apikiln.commands]) {
    one.exitOverride().configureOutput({
      writeOut: (text) => {
        terminal.print(screen.lines(text.trimEnd()));
      },
      writeErr: (text) => {
        shown.log(screen.lines(text.trimEnd()));
      },
      getOutHelpWidth: () => helpWidth,
      getErrHelpWidth: () => helpWidth,
    });
  }
  try {
    const topic = topicOf(args, apikiln);
    const page = topic === undefined ? undefined : helpOfTopic(topic);
    if (page !== undefined) {
      terminal.print(screen.lines(page.trimEnd()));
      return exitStatus.fine;
    }
    if (topic !== undefined) {
      const { nearest } = await import('../../read/diagnostics/suggest.js');
      if (nearest(topic, commandNames(apikiln)) === undefined) {
        terminal.log(screen.lines(unknownTopic(topic, nearest(topic, topics()))));
        return exitStatus.usage;
      }
    }
    // Parsing the topic as a command makes `help chekc` suggest the same command as `chekc`.
    await apikiln.parseAsync(topic === undefined ? args : [topic], { from: 'user' });
    terminal.stage?.(undefined);
    return status;
  } catch (error) {
    terminal.stage?.(undefined);
    if (error instanceof CommanderError && error.exitCode === 0) return exitStatus.fine;
    const { reportFailure } = await import('./shared/output/failure.js');
    if (!(error instanceof CommanderError)) return reportFailure(error, format, readVersion(), terminal);
    // In text format, the command-line parser has already printed the error.
    if (format !== 'text') reportFailure(usageError(error, apikiln), format, readVersion(), terminal);
    return exitStatus.usage;
  }
}

function commandNames({ commands }: Command): string[] {
  return commands.map((one) => one.name());
}

/** The word after `help`, if it is not a command. */
function topicOf(args: readonly string[], apikiln: Command): string | undefined {
  const [first, name] = args;
  if (first !== 'help' || name === undefined || name.startsWith('-') || name === 'help') return undefined;
  return commandNames(apikiln).includes(name) ? undefined : name;
}

/** Set by tests that check how internal failures of the compiler are reported. */
const provokeFailure = 'APIKILN_PROVOKE_FAILURE';

/** The output format of diagnostics, also used for errors in the command line itself. */
function formatOf(args: readonly string[]): Format {
  // For openapi, `--format` is the format of the API description.
  if (args.includes('openapi')) return 'text';
  const written = args.map((arg, index) =>
    arg === '--format' ? args[index + 1] : /^--format=(.*)$/s.exec(arg)?.[1],
  );
  // The last occurrence wins, as in the command-line parser.
  const wanted = written.map((one) => formats.find((format) => format === one));
  return wanted.findLast((format) => format !== undefined) ?? 'text';
}

/** Suppresses standard error, because programs only read standard output. */
function onlyDocument(terminal: Terminal): Terminal {
  return { ...terminal, log: () => undefined, stage: () => undefined };
}

function usageError({ code, message }: CommanderError, apikiln: Command): CommandError {
  const problem = code === 'commander.help' ? 'there is no command' : message.replace(/^error: /, '');
  const names = apikiln.commands.map((one) => one.name()).join(', ');
  const commands = /command/.test(problem) ? ` The commands are ${names}.` : '';
  return new CommandError(
    exitStatus.usage,
    `${problem.charAt(0).toUpperCase()}${problem.slice(1).replace(/\.?$/, '.')}${commands}`,
  );
}

const helpWidth = 100;
