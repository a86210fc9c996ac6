/** Commands that run a service, with their options: dev, serve, test. */
import { Option, type Command } from 'commander';
import {
  collected,
  command,
  configHelp,
  duration,
  folderName,
  percentage,
  wholeNumber,
  withCompilationOptions,
  type RunCommand,
} from './shared/command-options.js';
import type { DevCommandOptions } from './dev/dev.js';
import type { ServeOptions } from './serve.js';
import type { TestOptions } from './test.js';
import type { TokenOptions } from './token.js';
import { stoppedBySignal } from './shared/signals.js';

export function addRunCommands(apikiln: Command, run: RunCommand): void {
  const devCommand = command(apikiln, 'dev', '[config] [options]', {
    summary: 'run the service, and reload it after every change',
    description:
      'Runs the service with its test page, and replaces it whenever a file changes; requests in flight finish. While there are errors, the last valid version keeps running. Without a server, PostgreSQL databases are embedded, with the content of schema.sql and seed.sql. Stubs in config.stubs.yaml replace third-party APIs. Prints every request with its steps.',
  })
    .addOption(
      new Option('--port <port>', 'the port to listen on (default: PORT, then 8080)').argParser(wholeNumber),
    )
    .option('--open', 'open the test page in the browser')
    .option(
      '--record',
      'forward requests without a stub to the third party, and add them with their responses to config.stubs.yaml, without secrets',
    )
    .addOption(ownFilesOption());
  devCommand.addHelpText(
    'after',
    `
Environment variables:
  PORT, HOST             the port and address to listen on (8080, 127.0.0.1)
  DATASOURCE_<NAME>_URL  the URL of a database server or third-party API, to use instead of the
                         embedded database or the stubs; likewise _USER, _PASSWORD and
                         _HEADER_<HEADER>, and the variables \${NAME} of the configuration. These
                         are also read from .env next to the configuration`,
  );
  withCompilationOptions(devCommand).action((config: string | undefined, options: DevCommandOptions) =>
    run(async (terminal) => {
      const { dev } = await import('./dev/dev.js');
      return stoppedBySignal(process, (stop) => dev(config, options, terminal, stop));
    }),
  );

  command(apikiln, 'token', '<name> [config] [options]', {
    summary: 'print credentials that the running dev accepts',
    description:
      'Asks the apikiln dev that runs for the configuration, and prints credentials for its service: a token (jwt), an API key, user:password (basicauth), or a signed request for curl (signature).',
  })
    .argument('<name>', 'the name of an authentication of the configuration')
    .argument('[config]', configHelp)
    .option('--sub <name>', 'the caller of a token (default: test)')
    .option(
      '--claim <name=value>',
      'a claim of a token (repeatable): the value is JSON, or a string; null removes the claim',
      collected,
    )
    .option('--scope <name>', 'a scope of a token (repeatable)', collected)
    .addOption(
      new Option(
        '--expires <time>',
        'how long the service accepts the token, such as 30s, 10m, 2h or 7d; -1 for an expired token (default: 1h)',
      ).argParser(duration),
    )
    .option('--key <name>', 'the name of an API key (default: the first one)')
    .option('--header', "print the whole header, for curl -H: 'Authorization: Bearer …'")
    .option(
      '--path <path>',
      'the path of a signed request (default: that of the first operation that accepts the authentication)',
    )
    .option('--body <text>', 'the body of a signed request; @ and a path reads a file')
    .action((authentication: string, config: string | undefined, options: TokenOptions) =>
      run(async (terminal) => (await import('./token.js')).token(authentication, config, options, terminal)),
    );

  const serveCommand = command(apikiln, 'serve', '[config] [options]', {
    summary: 'compile and run the service',
    description:
      'Compiles the configuration into a temporary folder and runs the service, without installing anything. Settings are variables of the environment.',
  })
    .addOption(
      new Option('--port <port>', 'the port to listen on (default: PORT, then 8080)').argParser(wholeNumber),
    )
    .addOption(ownFilesOption());
  withCompilationOptions(serveCommand).action((config: string | undefined, options: ServeOptions) =>
    run(async (terminal) => (await import('./serve.js')).serve(config, options, terminal)),
  );

  const testCommand = command(apikiln, 'test', '[config] [options]', {
    summary: 'run the tests of the configuration',
    description:
      'Runs the tests of config.test.yaml, or of the files in tests/, against the compiled service: on an embedded PostgreSQL from schema.sql and seed.sql, with stubs for third parties. With --database, it uses temporary databases on that server.',
  })
    .option('--tests <path>', 'a test file, or a folder of them (repeatable)', collected)
    .option('--filter <text>', 'run only the tests whose name contains this text')
    .option('--update', 'write the actual responses into the test files')
    .option('--watch', 'run the tests again whenever a file changes')
    .addOption(
      new Option('--format <format>', 'text for people; json or junit for programs')
        .choices(['text', 'json', 'junit'])
        .default('text'),
    )
    .option('--junit <file>', 'also write the results as JUnit XML to this file')
    .option('--coverage', 'print which steps, conditions and responses the tests have reached')
    .option('--coverage-lcov <file>', 'write the coverage as an lcov file')
    .option('--coverage-html <file>', 'write the coverage as an HTML page')
    .addOption(
      new Option('--coverage-threshold <percent>', 'exit with 1 if the coverage is lower').argParser(
        percentage,
      ),
    )
    .addOption(ownFilesOption())
    .addOption(
      new Option(
        '--workers <n>',
        'the number of tests that run at the same time (default: the number of processors)',
      ).argParser(wholeNumber),
    );
  withCompilationOptions(testCommand).action((config: string | undefined, options: TestOptions) =>
    run(async (terminal) => {
      const { test, watchTests } = await import('./test.js');
      return stoppedBySignal(process, (stop) =>
        options.watch === true
          ? watchTests(config, options, terminal, stop)
          : test(config, options, terminal, { isStopped: () => stop.aborted }),
      );
    }),
  );

  // Other commands only query the server, while this one creates databases on it.
  const database = testCommand.options.find(({ long }) => long === '--database');
  if (database !== undefined)
    database.description =
      'a server for temporary databases, instead of the embedded PostgreSQL; <datasource>=<url> for one of several databases; ${NAME} is an environment variable';
}

/** The option of commands that run the service with user files. */
function ownFilesOption(): Option {
  return new Option(
    '-o, --out <dir>',
    'the output folder of build, whose src/app.ts, src/middleware.ts and other user files are included (default: service next to the configuration, if it has been built)',
  ).argParser(folderName);
}
