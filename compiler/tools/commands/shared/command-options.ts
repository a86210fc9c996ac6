/** Setup shared by all commands, and options used by several commands. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { formats } from './output/formats.js';
import type { Terminal } from './output/terminal.js';

/** Runs the action of a command. */
export type RunCommand = (work: (terminal: Terminal) => Promise<number>) => Promise<void>;

export const configHelp = 'the configuration (default: ./config.yaml, then /app/config.yaml)';

export interface CommandTexts {
  /** A short phrase for the list of commands. */
  readonly summary: string;
  readonly description: string;
}

/** Adds a command with its help. */
export function command(
  apikiln: Command,
  name: string,
  usage: string,
  { summary, description }: CommandTexts,
): Command {
  return apikiln
    .command(name)
    .usage(usage)
    .showHelpAfterError(`Try: apikiln ${name} --help`)
    .summary(summary)
    .description(description)
    .helpOption('-h, --help', 'print this help');
}

export function withCommonOptions(command: Command): Command {
  return withCompilationOptions(
    command.addOption(
      new Option(
        '--format <format>',
        'text for people, on standard error; json, sarif or github (annotations of GitHub Actions) for programs, on standard output',
      )
        .choices(formats)
        .default('text'),
    ),
  );
}

export function withCompilationOptions(command: Command): Command {
  return withInputOptions(command.argument('[config]', configHelp))
    .option(
      '--error <code>',
      'report this code as an error (--error, --warn and --off can be repeated)',
      collected,
    )
    .option('--warn <code>', 'report this code as a warning', collected)
    .option('--off <code>', 'do not report this code', collected)
    .option('--quiet', 'report errors only')
    .option('--max-warnings <n>', 'exit with 1 if there are more warnings', wholeNumber);
}

/** Adds the options for compilation inputs: API description and databases. */
export function withInputOptions(command: Command): Command {
  const described = command.option(
    '--openapi <file>',
    'the API description (default: openapi.yaml, .yml or .json next to the configuration)',
  );
  return withDatabaseOptions(described);
}

export function withDatabaseOptions(command: Command): Command {
  return command
    .option(
      '--schema <path>',
      'the SQL that creates the database: a file, or a folder of migrations; <datasource>=<path> for one of several databases (default: schema.sql or migrations next to the configuration)',
      (path: string, others: readonly string[] | false | undefined) => [...(others || []), path],
    )
    .option('--no-schema', 'skip the schema')
    .option(
      '--database <url>',
      'a database server that checks the statements without running them; <datasource>=<url> for one of several databases; ${NAME} is an environment variable',
      (url: string, others: readonly string[] | undefined) => [...(others ?? []), url],
    );
}

export function collected(value: string, others: readonly string[] | undefined): readonly string[] {
  return [...(others ?? []), value];
}

export function folderName(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must name a folder.');
  return text;
}

export function fileName(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must name a file.');
  return text;
}

export function percentage(text: string): number {
  if (!/^\d+(?:\.\d+)?$/.test(text) || Number(text) > 100)
    throw new InvalidArgumentError('It must be a number from 0 to 100.');
  return Number(text);
}

export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

/** A duration in seconds: `90`, `30s`, `10m`, `2h`, `7d`; negative for the past. */
export function duration(text: string): number {
  const [, digits, unit = 's'] = /^(-?\d{1,9})([smhd])?$/.exec(text) ?? [];
  if (digits === undefined) throw new InvalidArgumentError('It must be a time such as 30s, 10m, 2h or 7d.');
  return Number(digits) * { s: 1, m: 60, h: 3600, d: 86_400 }[unit as 's' | 'm' | 'h' | 'd'];
}
