/** Commands that print facts about a configuration, with their options: openapi, explain, diff, audit, doctor, and hash. */
import { Option, type Command } from 'commander';
import { severities } from '../audit/risk.js';
import type { AuditOptions } from './audit.js';
import {
  command,
  configHelp,
  withDatabaseOptions,
  withInputOptions,
  type RunCommand,
} from './shared/command-options.js';
import type { DiffOptions } from './diff.js';
import type { DoctorOptions } from './doctor.js';
import type { ExplainOptions } from './explain-command.js';
import type { HashOptions } from './hash.js';
import type { OpenapiOptions } from './openapi.js';

export function addReviewCommands(apikiln: Command, run: RunCommand): void {
  const openapiCommand = command(apikiln, 'openapi', '[config] [options]', {
    summary: 'print an API description of the configuration',
    description:
      'Prints an API description (OpenAPI 3.1) derived from the configuration and its schema. With --merge, adds the errors that the service sends to an existing API description.',
  }).argument('[config]', configHelp);
  withDatabaseOptions(openapiCommand)
    .addOption(
      new Option(
        '--format <format>',
        'the format (default: by the name of the file, otherwise json)',
      ).choices(['json', 'yaml']),
    )
    .option('-o, --out <file>', 'write the description to this new file')
    .addOption(
      new Option(
        '--merge',
        'add the errors that the service sends (400, 401, 503 …) to the API description, and keep the rest of the file',
      ).conflicts(['out', 'format']),
    )
    .option(
      '--openapi <file>',
      'with --merge: the API description (default: openapi.yaml, .yml or .json next to the configuration)',
    )
    .option('--quiet', 'report errors only')
    .action((config: string | undefined, options: OpenapiOptions) =>
      run(async (terminal) => (await import('./openapi.js')).openapi(config, options, terminal)),
    );

  const explainCommand = command(apikiln, 'explain', '[operation | code] [options]', {
    summary: 'print the steps of an operation, or the meaning of a diagnostic',
    description:
      'For the name of an operation, prints its steps, its SQL, the maximum number of round trips and requests, and every status with its reason. Without a name, prints one line for each operation. For the code of a diagnostic, prints its meaning and importance, with a wrong and a right example.',
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
    summary: 'print changes for clients, and changes of SQL',
    description:
      'Compares two configurations, each with its API description and its schema. Prints changes that break clients, compatible changes, and changed statements and requests. Exits with 1 if a change breaks clients.',
  })
    .argument('<old>', 'the old configuration, or its folder')
    .argument('<new>', 'the new configuration, or its folder')
    .addOption(
      new Option('--format <format>', 'text for people, json for programs, markdown for reviews')
        .choices(['text', 'json', 'markdown'])
        .default('text'),
    )
    .option('--no-schema', 'skip the schemas')
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
      new Option('--fail-on <severity>', 'exit with 1 if there is a risk of this severity or worse')
        .choices([...severities, 'never'])
        .default('high'),
    )
    .option(
      '--tenant <column>',
      'report every statement that does not compare this column with a value of the caller',
    )
    .option(
      '-o, --out <dir>',
      'the folder of the service, whose src/app.ts is read too (default: service next to the configuration)',
    );
  withInputOptions(auditCommand).action((config: string | undefined, options: AuditOptions) =>
    run(async (terminal) => (await import('./audit.js')).audit(config, options, terminal)),
  );

  command(apikiln, 'doctor', '[options]', {
    summary: 'check that a database supports the features that services need',
    description:
      'Checks that a database supports the features that services need: values that are returned as stored, prepared statements through a pooler, pipelined reads, cancellation, transactions, error codes, and more. Creates a table, and drops it at the end. Exits with 1 if a service would not work correctly.',
  })
    .requiredOption(
      '--database <url>',
      'the URL of the database with its options, with or without jdbc:; ${NAME} is an environment variable',
    )
    .option(
      '--replica <url>',
      'the URL of its read replica, where written rows must arrive; missing parts are those of --database',
    )
    .addOption(
      new Option('--format <format>', 'text for people, json for programs')
        .choices(['text', 'json'])
        .default('text'),
    )
    .action((options: DoctorOptions) =>
      run(async (terminal) => (await import('./doctor.js')).doctor(options, terminal, process.env)),
    );

  command(apikiln, 'hash', '[options]', {
    summary: 'print the hash of a password or an API key from standard input',
    description:
      'Reads a password from standard input, and prints its hash for passwordHash. With --key, reads an API key, and prints sha256: and its digest, for keys and for rows that an operation reads. Secrets are never arguments.',
  })
    .option('--key', 'read an API key')
    .addOption(
      new Option('--new-key', 'print a new API key and its digest, without reading input').conflicts('key'),
    )
    .action((options: HashOptions) =>
      run(async (terminal) => (await import('./hash.js')).hash(options, terminal, process.stdin)),
    );
}
