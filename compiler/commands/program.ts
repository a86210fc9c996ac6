/** The commands of apikiln with their arguments and options; what a command does is in the file of its name, loaded when it is run. */
import { Argument, Command, Option } from 'commander';
import { targets } from '../emit/target.js';
import { severities } from '../audit/risk.js';
import type { AuditOptions } from './audit.js';
import type { BuildOptions } from './build.js';
import type { CheckOptions } from './check.js';
import {
  collected,
  command,
  configHelp,
  folderName,
  percentage,
  wholeNumber,
  withCommonOptions,
  withCompilationOptions,
  withDatabaseOptions,
  withInputOptions,
} from './command-options.js';
import type { DevCommandOptions } from './dev.js';
import type { DiffOptions } from './diff.js';
import type { Shell } from './completion.js';
import { exitStatus } from './exit-status.js';
import type { ExplainOptions } from './explain-command.js';
import type { InitOptions } from './init.js';
import type { OpenapiOptions } from './openapi.js';
import { readVersion } from './package-folder.js';
import { examples, statuses } from './help-texts.js';
import type { ServeOptions } from './serve.js';
import type { Terminal } from './terminal.js';
import type { TestOptions } from './test.js';
import { untilSignalled } from './until-signalled.js';

/** `run` receives the action of a command. */
export function program(run: (work: (terminal: Terminal) => Promise<number>) => Promise<void>): Command {
  const apikiln = new Command('apikiln')
    .description('Compiles one config.yaml to a readable, self-contained TypeScript service.')
    .usage('<command> [options]')
    .version(readVersion(), '-V, --version', 'print the version')
    .option('--no-color', 'plain text, also on a terminal')
    .helpOption('-h, --help', 'print this help, or with a command the help of that one')
    .helpCommand('help [command]', 'print the help of a command')
    .showHelpAfterError('Try: apikiln --help')
    .addHelpText('after', `\n${examples}\n\n${statuses}`);

  command(apikiln, 'init', '[dir] [options]', {
    summary: 'write a new service to start from',
    description:
      'Writes the files of a new service that runs at once: configuration, API description, schema, data, tests. Never overwrites a file.',
  })
    .argument('[dir]', 'the folder, created if missing (default: the current folder)')
    .addOption(
      new Option(
        '--syntax <syntax>',
        'the syntax of expressions (a: functions such as PARAM(id); b: names such as param.id, with mappings)',
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
        'write operations, API description and schema for the tables of this server; nothing changes there, and ${NAME} is a variable of the environment',
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

  const buildCommand = command(apikiln, 'build', '[config] --out <dir> [options]', {
    summary: 'write the service',
    description:
      'Compiles the configuration and writes the service, ready for npm install, npm run build, npm start.',
  })
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

  const checkCommand = command(apikiln, 'check', '[config] [options]', {
    summary: 'report errors and warnings of the configuration',
    description: 'Prints everything that build would report, and writes nothing.',
  }).option(
    '--fix',
    'apply the fixes that are sure to be meant to the configuration, then report what is left',
  );
  withCommonOptions(checkCommand).action((config: string | undefined, options: CheckOptions) =>
    run(async (terminal) => (await import('./check.js')).check(config, options, terminal)),
  );

  const devCommand = command(apikiln, 'dev', '[config] [options]', {
    summary: 'run the service, and renew it at every change',
    description:
      'Runs the service with its test page, and replaces it whenever a file changes; requests in flight finish. While there are errors the last good version continues. Without a server, PostgreSQL databases are embedded: schema.sql and seed.sql make them. Third-party APIs with stubs in config.stubs.yaml stay on this machine. Prints every request with its steps.',
  })
    .addOption(
      new Option('--port <port>', 'the port to listen on (default: PORT, then 8080)').argParser(wholeNumber),
    )
    .option('--open', 'open the test page in the browser')
    .option(
      '--record',
      'forward requests to third parties that have no stub, and write them with their responses to config.stubs.yaml, without secrets',
    )
    .option(
      '-o, --out <dir>',
      'the folder that build writes to: src/app.ts, src/middleware.ts and other files of your own there are included (default: service, where it has been built)',
      folderName,
    );
  devCommand.addHelpText(
    'after',
    `
Variables of the environment:
  PORT, HOST             where it listens (8080, 127.0.0.1)
  DATASOURCE_<NAME>_URL  the server of a database, or the URL of a third-party API, instead of the
                         embedded database or the stubs; likewise _USER, _PASSWORD and
                         _HEADER_<HEADER>, and what the configuration names as \${NAME}: these
                         also from .env beside the configuration`,
  );
  withCompilationOptions(devCommand).action((config: string | undefined, options: DevCommandOptions) =>
    run(async (terminal) => {
      const { dev } = await import('./dev.js');
      return dev(config, options, terminal, untilSignalled(process));
    }),
  );

  const serveCommand = command(apikiln, 'serve', '[config] [options]', {
    summary: 'compile and run the service',
    description:
      'Compiles the configuration into a temporary folder and runs the service, without installing anything. Settings are variables of the environment.',
  }).addOption(
    new Option('--port <port>', 'the port to listen on (default: PORT, then 8080)').argParser(wholeNumber),
  );
  withCompilationOptions(serveCommand).action((config: string | undefined, options: ServeOptions) =>
    run(async (terminal) => (await import('./serve.js')).serve(config, options, terminal)),
  );

  const testCommand = command(apikiln, 'test', '[config] [options]', {
    summary: 'run the tests of the configuration',
    description:
      'Runs the tests of config.test.yaml, or of the files in tests/, against the compiled service: on an embedded PostgreSQL from schema.sql and seed.sql, with stubs for third parties. With --database on temporary databases of that server.',
  })
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
      'a server on which temporary databases are created and dropped, instead of the embedded PostgreSQL; of one among several <datasource>=<url>; ${NAME} is a variable of the environment';

  const openapiCommand = command(apikiln, 'openapi', '[config] [options]', {
    summary: 'print an API description of the configuration',
    description:
      'Prints an API description (OpenAPI 3.1) of a configuration that has none: as far as the configuration and its database show it.',
  }).argument('[config]', configHelp);
  withDatabaseOptions(openapiCommand)
    .addOption(
      new Option(
        '--format <format>',
        'how it is written; without it by the name of the file, else as JSON',
      ).choices(['json', 'yaml']),
    )
    .option('-o, --out <file>', 'write it to this file, which is not there yet')
    .option('--quiet', 'report errors only')
    .action((config: string | undefined, options: OpenapiOptions) =>
      run(async (terminal) => (await import('./openapi.js')).openapi(config, options, terminal)),
    );

  const explainCommand = command(apikiln, 'explain', '[operation | code] [options]', {
    summary: 'print what an operation does, or what a diagnostic means',
    description:
      'Of an operation: its steps, the SQL that is sent, round trips and requests at worst, and every status with its reason; without a name all of them, one line each. Of the code of a diagnostic: what it means and why it matters, with a wrong and a right example.',
  })
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

  command(apikiln, 'diff', '<old> <new> [options]', {
    summary: 'print what changes for clients, and in SQL',
    description:
      'Compares two configurations, each with the API description and the schema beside it: what breaks clients, what does not, and which statements and requests change. Exits with 1 when something breaks clients.',
  })
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

  const auditCommand = command(apikiln, 'audit', '[config] [options]', {
    summary: 'print risks that are not errors',
    description:
      'Prints a list for reviews: operations without credentials, hosts that requests choose, lists without a limit, statements in loops, secrets in the configuration, connections without encryption and more.',
  })
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

  command(apikiln, 'completion', '<shell>', {
    summary: 'print a script that completes commands and options in a shell',
    description:
      'Prints a script for the shell. bash: eval "$(apikiln completion bash)" in ~/.bashrc; zsh: the same with zsh in ~/.zshrc, behind compinit; fish: apikiln completion fish > ~/.config/fish/completions/apikiln.fish',
  })
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .action((shell: Shell) =>
      run(async (terminal) => {
        const { completionScript } = await import('./completion.js');
        terminal.print(completionScript(shell, apikiln).trimEnd());
        return exitStatus.fine;
      }),
    );

  command(apikiln, 'lsp', '[options]', {
    summary: 'be a language server for editors',
    description:
      'Serves editors by the language server protocol on standard input and output: diagnostics and fixes while you type, completion, hover, definitions, references, rename, outline and formatting of expressions.',
  })
    .option('--stdio', 'standard input and output, which is what it does anyway')
    .action(() =>
      run(async () => {
        const { lsp } = await import('./lsp.js');
        return lsp();
      }),
    );

  command(apikiln, 'schema', '[options]', {
    summary: 'print the JSON schema of configurations or test files',
    description:
      'Prints the JSON schema of configurations, or of test files, by which editors check and complete YAML: # yaml-language-server: $schema=apikiln.schema.json',
  })
    .option('--tests', 'that of test files')
    .action(({ tests }: { readonly tests?: boolean }) =>
      run(async (terminal) => {
        const schema =
          tests === true
            ? (await import('../testing/test-schema.js')).testJsonSchema()
            : (await import('../editor/json-schema.js')).jsonSchema();
        terminal.print(JSON.stringify(schema, null, 2));
        return exitStatus.fine;
      }),
    );

  return apikiln;
}
