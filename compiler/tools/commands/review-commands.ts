/** The commands that print what a configuration does, with their options: openapi, explain, diff, audit, doctor, and hash. */
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
      'Prints an API description (OpenAPI 3.1) of a configuration that has none, with what the configuration and its database show. With --merge it adds the errors that the service sends to the description that you have.',
  }).argument('[config]', configHelp);
  withDatabaseOptions(openapiCommand)
    .addOption(
      new Option('--format <format>', 'the format (default: by the name of the file, else json)').choices([
        'json',
        'yaml',
      ]),
    )
    .option('-o, --out <file>', 'write it to this new file')
    .addOption(
      new Option(
        '--merge',
        'add the errors that the service sends (400, 401, 503 …) to the API description; nothing else of the file changes',
      ).conflicts(['out', 'format']),
    )
    .option(
      '--openapi <file>',
      'with --merge: the API description (default: openapi.yaml, .yml or .json beside the configuration)',
    )
    .option('--quiet', 'report errors only')
    .action((config: string | undefined, options: OpenapiOptions) =>
      run(async (terminal) => (await import('./openapi.js')).openapi(config, options, terminal)),
    );

  const explainCommand = command(apikiln, 'explain', '[operation | code] [options]', {
    summary: 'print what an operation does, or what a diagnostic means',
    description:
      'For the name of an operation, prints its steps, the SQL that is sent, the maximum of round trips and requests, and every status with its reason. Without a name, prints all operations, one line each. For the code of a diagnostic, prints what it means and why it matters, with a wrong and a right example.',
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
    )
    .option(
      '--tenant <column>',
      'name every statement that does not compare this column with a value of the caller',
    )
    .option(
      '-o, --out <dir>',
      'the folder of the service, whose src/app.ts is read too (default: service beside the configuration)',
    );
  withInputOptions(auditCommand).action((config: string | undefined, options: AuditOptions) =>
    run(async (terminal) => (await import('./audit.js')).audit(config, options, terminal)),
  );

  command(apikiln, 'doctor', '[options]', {
    summary: 'try on a database what services rely on',
    description:
      'Tries on a database what services rely on: values that come back as they were stored, prepared statements through a pooler, reads that are sent without waiting, cancelling, transactions, codes of errors, and more. It makes a table of its own, and drops it at the end. Exits with 1 when something that services need does not hold.',
  })
    .requiredOption(
      '--database <url>',
      'the database, as a URL without or with jdbc:, and with its options; ${NAME} is a variable of the environment',
    )
    .option(
      '--replica <url>',
      'its read replica: what is written to the database must arrive there; what this URL leaves out is as in the other',
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
    summary: 'print the hash of a password, or of an API key, from standard input',
    description:
      'Reads a password from standard input, and prints its hash for passwordHash. With --key it reads an API key, and prints sha256: and its digest, for keys and for rows that an operation reads. Nothing secret is an argument.',
  })
    .option('--key', 'read an API key')
    .addOption(
      new Option('--new-key', 'read nothing; print a new API key, and below it the digest').conflicts('key'),
    )
    .action((options: HashOptions) =>
      run(async (terminal) => (await import('./hash.js')).hash(options, terminal, process.stdin)),
    );
}
