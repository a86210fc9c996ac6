/** The command line: which command with which options; what the commands do is in the files beside, each loaded when it is run. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { targets } from '../emit/target.js';
import { severities } from '../audit/risk.js';
import type { AuditOptions } from './audit.js';
import type { BuildOptions } from './build.js';
import type { CheckOptions } from './check.js';
import type { DevCommandOptions } from './dev.js';
import type { DiffOptions } from './diff.js';
import { CommandError, exitStatus } from './exit-status.js';
import type { ExplainOptions } from './explain-command.js';
import type { InitOptions } from './init.js';
import type { OpenapiOptions } from './openapi.js';
import { readVersion } from './package-folder.js';
import { formats, type Format } from './formats.js';
import type { ServeOptions } from './serve.js';
import type { Terminal } from './terminal.js';
import type { TestOptions } from './test.js';
import { untilSignalled } from './until-signalled.js';

/** Runs one command (`args` without the program's name) and gives its exit status. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  const format = formatOf(args);
  const screen = format === 'text' ? terminal : onlyDocument(terminal);
  let status: number = exitStatus.fine;
  const apikiln = program(async (command) => {
    if (process.env[provokeFailure] !== undefined) throw new Error("provoked by 'hunter2'");
    status = await command(screen);
  });
  for (const command of [apikiln, ...apikiln.commands]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => {
        terminal.print(text.trimEnd());
      },
      writeErr: (text) => {
        screen.tell(text.trimEnd());
      },
      getOutHelpWidth: () => helpWidth,
      getErrHelpWidth: () => helpWidth,
    });
  }
  try {
    await apikiln.parseAsync(helpOfUnknown(args, apikiln) ?? args, { from: 'user' });
    return status;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitStatus.fine;
    const { tellFailure } = await import('./failure.js');
    if (!(error instanceof CommanderError)) return tellFailure(error, format, readVersion(), terminal);
    // As text, the parser of the command line has said it.
    if (format !== 'text') tellFailure(usageError(error, apikiln), format, readVersion(), terminal);
    return exitStatus.usage;
  }
}

/** `help chekc` is answered like `chekc`: with the command that may be meant. */
function helpOfUnknown(args: readonly string[], { commands }: Command): readonly string[] | undefined {
  const [first, name] = args;
  if (first !== 'help' || name === undefined || name.startsWith('-') || name === 'help') return undefined;
  return commands.some((command) => command.name() === name) ? undefined : [name];
}

/** Set in tests that must see how a failure of the compiler itself ends. */
const provokeFailure = 'APIKILN_PROVOKE_FAILURE';

/** In what the diagnostics are to be printed, also where the command line is wrong. */
function formatOf(args: readonly string[]): Format {
  // There the format is that of the API description.
  if (args.includes('openapi')) return 'text';
  const wanted = formats.filter((format) =>
    args.some(
      (arg, index) => arg === `--format=${format}` || (arg === '--format' && args[index + 1] === format),
    ),
  );
  return wanted.at(-1) ?? 'text';
}

/** Programs read standard output, and nobody reads what is told beside it. */
function onlyDocument(terminal: Terminal): Terminal {
  return { ...terminal, tell: () => undefined };
}

function usageError({ code, message }: CommanderError, apikiln: Command): CommandError {
  const said = code === 'commander.help' ? 'there is no command' : message.replace(/^error: /, '');
  const names = apikiln.commands.map((command) => command.name()).join(', ');
  const commands = /command/.test(said) ? ` The commands are ${names}.` : '';
  return new CommandError(
    exitStatus.usage,
    `${said.charAt(0).toUpperCase()}${said.slice(1).replace(/\.?$/, '.')}${commands}`,
  );
}

const helpWidth = 100;

/** `run` takes what a command does. */
function program(run: (command: (terminal: Terminal) => Promise<number>) => Promise<void>): Command {
  const apikiln = new Command('apikiln')
    .description('Compiles one config.yaml to a readable, self-contained TypeScript service.')
    .usage('<command> [options]')
    .version(readVersion(), '-V, --version', 'print the version')
    .option('--no-color', 'plain text, also on a terminal')
    .helpOption('-h, --help', 'print this help, or with a command the help of that one')
    .helpCommand('help [command]', 'print the help of a command')
    .showHelpAfterError('Try: apikiln --help')
    .addHelpText('after', `\n${examples}\n\n${statuses}`);

  apikiln
    .command('init')
    .usage('[dir] [options]')
    .showHelpAfterError('Try: apikiln init --help')
    .summary('write a new service to start from')
    .description(
      'Writes the files of a new service that runs at once: configuration, API description, schema, data, tests. Never overwrites a file.',
    )
    .helpOption('-h, --help', 'print this help')
    .argument('[dir]', 'the folder, created if missing (default: the current folder)')
    .addOption(
      new Option(
        '--syntax <syntax>',
        'a: functions such as PARAM(id); b: names such as param.id, with mappings',
      )
        .choices(['a', 'b'])
        .default('a'),
    )
    .addOption(
      new Option('--database <kind>', 'the kind of the database')
        .choices(['postgresql', 'mysql', 'mariadb'])
        .default('postgresql'),
    )
    .addOption(
      new Option(
        '--from-database <url>',
        'write operations, API description and schema for the tables of this server; nothing changes there, and ${NAME} stands for a variable of the environment',
      ).conflicts('database'),
    )
    .addOption(
      new Option(
        '--from-openapi <file>',
        'write operations and a schema for the endpoints of this API description (OpenAPI 3.0 or 3.1), which is copied',
      ).conflicts('fromDatabase'),
    )
    .action((folder: string | undefined, options: InitOptions) =>
      run(async (terminal) => (await import('./init.js')).init(folder, options, terminal)),
    );

  const buildCommand = apikiln
    .command('build')
    .usage('[config] --out <dir> [options]')
    .showHelpAfterError('Try: apikiln build --help')
    .summary('write the service')
    .description(
      'Compiles the configuration and writes the service, ready for npm install, npm run build, npm start.',
    )
    .requiredOption('-o, --out <dir>', 'the folder of the service; it is made if it is not there', folderName)
    .addOption(
      new Option(
        '--target <target>',
        'kubernetes adds manifests (default: what the folder was built for last, else docker)',
      ).choices(targets),
    )
    .option('--check', 'write nothing; print what a build would change, and exit with 3 if there is anything')
    .addOption(
      new Option(
        '--watch',
        'build again whenever the configuration or the API description changes',
      ).conflicts('check'),
    )
    .option('--force', 'also replace files that no build wrote, or that were edited by hand');
  withCommonOptions(buildCommand).action((config: string | undefined, options: BuildOptions) =>
    run(async (terminal) => {
      if (options.watch !== true) return (await import('./build.js')).build(config, options, terminal);
      const { watch } = await import('./watch.js');
      return watch(config, options, terminal, untilSignalled(process));
    }),
  );

  const checkCommand = apikiln
    .command('check')
    .usage('[config] [options]')
    .showHelpAfterError('Try: apikiln check --help')
    .summary('say what is wrong with the configuration')
    .description('Prints everything that build would report, and writes nothing.')
    .option(
      '--fix',
      'apply the fixes that are sure to be meant to the configuration, then report what is left',
    );
  withCommonOptions(checkCommand).action((config: string | undefined, options: CheckOptions) =>
    run(async (terminal) => (await import('./check.js')).check(config, options, terminal)),
  );

  const devCommand = apikiln
    .command('dev')
    .usage('[config] [options]')
    .showHelpAfterError('Try: apikiln dev --help')
    .summary('run the service, and renew it at every change')
    .description(
      'Runs the service with its test page, and replaces it whenever a file changes; requests in flight finish. While there are errors the last good version continues. Without a server, PostgreSQL databases are embedded: schema.sql and seed.sql make them. Prints every request with its steps.',
    )
    .addOption(
      new Option('--port <port>', 'the port to listen on (default: PORT, then 8080)').argParser(wholeNumber),
    )
    .option('--open', 'open the test page in the browser')
    .option(
      '-o, --out <dir>',
      'the folder that build writes to: src/app.ts, src/middleware.ts and other files of your own there are included (default: service, where it has been built)',
      folderName,
    );
  withCompilationOptions(devCommand).action((config: string | undefined, options: DevCommandOptions) =>
    run(async (terminal) => {
      const { dev } = await import('./dev.js');
      return dev(config, options, terminal, untilSignalled(process));
    }),
  );

  const serveCommand = apikiln
    .command('serve')
    .usage('[config] [options]')
    .showHelpAfterError('Try: apikiln serve --help')
    .summary('compile and run the service')
    .description(
      'Compiles the configuration into a temporary folder and runs the service, without installing anything. Settings are variables of the environment.',
    )
    .addOption(
      new Option('--port <port>', 'the port to listen on (default: PORT, then 8080)').argParser(wholeNumber),
    );
  withCompilationOptions(serveCommand).action((config: string | undefined, options: ServeOptions) =>
    run(async (terminal) => (await import('./serve.js')).serve(config, options, terminal)),
  );

  const testCommand = apikiln
    .command('test')
    .usage('[config] [options]')
    .showHelpAfterError('Try: apikiln test --help')
    .summary('run the tests of the configuration')
    .description(
      'Runs the tests of config.test.yaml, or of the files in tests/, against the compiled service: on an embedded PostgreSQL from schema.sql and seed.sql, with stubs for third parties. With --database on temporary databases of that server.',
    )
    .option('--tests <path>', 'a test file, or a folder of them (repeatable)', collected)
    .option('--filter <text>', 'only tests with this text in their name')
    .option('--update', 'write the responses that differ into the test files')
    .option('--watch', 'run the tests again whenever a file changes')
    .addOption(
      new Option('--format <format>', 'text for people; for programs json, or junit')
        .choices(['text', 'json', 'junit'])
        .default('text'),
    )
    .option('--junit <file>', 'also write the results as JUnit XML to this file')
    .option('--coverage', 'print which steps, conditions and responses the tests have reached')
    .option('--coverage-lcov <file>', 'write the coverage as an lcov file')
    .option('--coverage-html <file>', 'write the coverage as an HTML page')
    .addOption(
      new Option('--coverage-threshold <percent>', 'exit with 1 when the coverage is lower').argParser(
        percentage,
      ),
    )
    .option('--out <dir>', 'the folder of the built service, for its own src/app.ts and src/middleware.ts')
    .addOption(
      new Option(
        '--workers <n>',
        'how many tests run at the same time (default: as many as there are processors)',
      ).argParser(wholeNumber),
    );
  withCompilationOptions(testCommand).action((config: string | undefined, options: TestOptions) =>
    run(async (terminal) => {
      const { test, watchTests } = await import('./test.js');
      const stop = untilSignalled(process);
      return options.watch === true
        ? watchTests(config, options, terminal, stop)
        : test(config, options, terminal, { isStopped: () => stop.aborted });
    }),
  );

  // Other commands ask the server, and this one makes databases there.
  const database = testCommand.options.find(({ long }) => long === '--database');
  if (database !== undefined)
    database.description =
      'a server on which temporary databases are created and dropped, instead of the embedded PostgreSQL; of one among several <datasource>=<url>; ${NAME} stands for a variable of the environment';

  const openapiCommand = apikiln
    .command('openapi')
    .usage('[config] [options]')
    .showHelpAfterError('Try: apikiln openapi --help')
    .summary('print an API description of the configuration')
    .description(
      'Prints an API description (OpenAPI 3.1) of a configuration that has none: as far as the configuration and its database tell.',
    )
    .helpOption('-h, --help', 'print this help')
    .argument('[config]', configHelp);
  withDatabaseOptions(openapiCommand)
    .addOption(new Option('--format <format>', 'how it is written').choices(['json', 'yaml']).default('json'))
    .option('-o, --out <file>', 'write it to this file, which is not there yet')
    .option('--quiet', 'report errors only')
    .action((config: string | undefined, options: OpenapiOptions) =>
      run(async (terminal) => (await import('./openapi.js')).openapi(config, options, terminal)),
    );

  const explainCommand = apikiln
    .command('explain')
    .usage('[operation | code] [options]')
    .showHelpAfterError('Try: apikiln explain --help')
    .summary('print what an operation does, or what a diagnostic means')
    .description(
      'Of an operation: its steps, the SQL that is sent, round trips and requests at worst, and every status with its reason; without a name all of them, one line each. Of the code of a diagnostic: what it means and why it matters, with a wrong and a right example.',
    )
    .argument(
      '[subject]',
      "the name of an operation, such as 'GET /news/{id}', or a code, such as unknown-field",
    )
    .option('--codes', 'list all codes of diagnostics')
    .option('-c, --config <file>', configHelp)
    .addOption(
      new Option('--format <format>', 'text for people, json for programs, mermaid for a flowchart')
        .choices(['text', 'json', 'mermaid'])
        .default('text'),
    );
  withInputOptions(explainCommand).action((operation: string | undefined, options: ExplainOptions) =>
    run(async (terminal) => (await import('./explain-command.js')).explain(operation, options, terminal)),
  );

  apikiln
    .command('diff')
    .usage('<old> <new> [options]')
    .showHelpAfterError('Try: apikiln diff --help')
    .summary('print what changes for clients, and in SQL')
    .description(
      'Compares two configurations, each with the API description and the schema beside it: what breaks clients, what does not, and which statements and requests change. Exits with 1 when something breaks clients.',
    )
    .helpOption('-h, --help', 'print this help')
    .argument('<old>', 'the configuration as it was, or its folder')
    .argument('<new>', 'the configuration as it is now, or its folder')
    .addOption(
      new Option('--format <format>', 'text for people, json for programs, markdown for reviews')
        .choices(['text', 'json', 'markdown'])
        .default('text'),
    )
    .option('--no-schema', 'ask no database about statements')
    .action((old: string, now: string, options: DiffOptions) =>
      run(async (terminal) => (await import('./diff.js')).diff(old, now, options, terminal)),
    );

  const auditCommand = apikiln
    .command('audit')
    .usage('[config] [options]')
    .showHelpAfterError('Try: apikiln audit --help')
    .summary('print risks that are no mistakes')
    .description(
      'Prints a list for reviews: operations without credentials, hosts that requests choose, lists without a limit, statements in loops, secrets in the configuration, connections without encryption and more.',
    )
    .argument('[config]', configHelp)
    .addOption(
      new Option('--format <format>', 'text for people, json for programs')
        .choices(['text', 'json'])
        .default('text'),
    )
    .addOption(
      new Option('--fail-on <severity>', 'exit with 1 when there is a risk of this severity or worse')
        .choices([...severities, 'never'])
        .default('high'),
    );
  withInputOptions(auditCommand).action((config: string | undefined, options: AuditOptions) =>
    run(async (terminal) => (await import('./audit.js')).audit(config, options, terminal)),
  );

  apikiln
    .command('lsp')
    .usage('[options]')
    .showHelpAfterError('Try: apikiln lsp --help')
    .summary('be a language server for editors')
    .description(
      'Serves editors by the language server protocol on standard input and output: diagnostics and fixes while you type, completion, hover, definitions, references, rename, outline and formatting of expressions.',
    )
    .helpOption('-h, --help', 'print this help')
    .option('--stdio', 'standard input and output, which is what it does anyway')
    .action(() =>
      run(async () => {
        const { lsp } = await import('./lsp.js');
        return lsp();
      }),
    );

  apikiln
    .command('schema')
    .usage('[options]')
    .showHelpAfterError('Try: apikiln schema --help')
    .summary('print the JSON schema of configurations')
    .description(
      'Prints the JSON schema of configurations, by which editors check and complete YAML: # yaml-language-server: $schema=apikiln.schema.json',
    )
    .helpOption('-h, --help', 'print this help')
    .action(() =>
      run(async (terminal) => {
        const { jsonSchema } = await import('../editor/json-schema.js');
        terminal.print(JSON.stringify(jsonSchema(), null, 2));
        return exitStatus.fine;
      }),
    );

  return apikiln;
}

const configHelp = 'the configuration (default: ./config.yaml, then /app/config.yaml)';

const examples = `Examples:
  apikiln init tasks                   write a new service to the folder 'tasks'
  apikiln dev                          run ./config.yaml, and renew it at every change
  apikiln check                        what is wrong with ./config.yaml?
  apikiln build --out service          write the service to the folder 'service'
  apikiln build --out service --check  is the folder still what the configuration gives?
  apikiln serve                        compile ./config.yaml and run the service
  apikiln test                         run the tests of ./config.test.yaml
  apikiln explain 'GET /news/{id}'     what does this operation send, and what can it answer?
  apikiln explain unknown-field        what does this diagnostic mean?
  apikiln diff old.yaml config.yaml    what breaks clients, and which SQL changes?
  apikiln audit --fail-on medium       which risks should somebody look at?
  apikiln openapi --out openapi.json   write an API description to begin with
  apikiln schema > schema.json         let an editor check and complete the configuration`;

const statuses = `Exit status:
  0  fine
  1  the configuration has errors, files are in the way, (test) a test failed or too little is
     covered, (diff) something breaks clients, or (audit) there is a risk of the severity that
     --fail-on names
  2  wrong use of the command
  3  build --check: the folder is not what the configuration gives
  4  a file or folder cannot be read or written, or a database cannot be asked
  5  apikiln itself has failed: a bug, to be reported`;

function withCommonOptions(command: Command): Command {
  return withCompilationOptions(
    command.addOption(
      new Option(
        '--format <format>',
        'text for people on standard error; for programs on standard output json, sarif, or github for the annotations of GitHub Actions',
      )
        .choices(formats)
        .default('text'),
    ),
  );
}

function withCompilationOptions(command: Command): Command {
  return withInputOptions(command.argument('[config]', configHelp))
    .option('--error <code>', 'report this code as an error (each of the three repeatable)', collected)
    .option('--warn <code>', 'report this code as a warning', collected)
    .option('--off <code>', 'do not report this code', collected)
    .option('--quiet', 'report errors only')
    .option('--max-warnings <n>', 'exit with 1 when there are more warnings than this', wholeNumber);
}

/** What belongs to a configuration. */
function withInputOptions(command: Command): Command {
  const described = command
    .helpOption('-h, --help', 'print this help')
    .option(
      '--openapi <file>',
      'the API description (default: openapi.yaml, .yml or .json beside the configuration)',
    );
  return withDatabaseOptions(described);
}

function withDatabaseOptions(command: Command): Command {
  return command
    .option(
      '--schema <path>',
      'the SQL that makes the database: a file, or a folder of migrations; of one among several <datasource>=<path> (default: schema.sql or migrations beside the configuration)',
      (path: string, others: readonly string[] | false | undefined) => [...(others || []), path],
    )
    .option('--no-schema', 'read no schema')
    .option(
      '--database <url>',
      'a database server that is asked about statements, without running any; of one among several <datasource>=<url>; ${NAME} stands for a variable of the environment',
      (url: string, others: readonly string[] | undefined) => [...(others ?? []), url],
    );
}

function collected(value: string, others: readonly string[] | undefined): readonly string[] {
  return [...(others ?? []), value];
}

function folderName(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must name a folder.');
  return text;
}

function percentage(text: string): number {
  if (!/^\d+(?:\.\d+)?$/.test(text) || Number(text) > 100)
    throw new InvalidArgumentError('It must be a number from 0 to 100.');
  return Number(text);
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
