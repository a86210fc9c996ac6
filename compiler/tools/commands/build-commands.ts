/** Commands that write and check a service, with their options: init, build, check. */
import { dirname, join, resolve } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import {
  kubernetesExtras,
  runtimeSources,
  targets,
  type KubernetesExtra,
} from '../../generate/emit/service/target.js';
import type { BuildOptions } from './build.js';
import type { CheckOptions } from './check.js';
import {
  command,
  fileName,
  folderName,
  withCommonOptions,
  type RunCommand,
} from './shared/command-options.js';
import type { InitOptions } from './init/init.js';
import { stoppedBySignal } from './shared/signals.js';

export function addBuildCommands(apikiln: Command, run: RunCommand): void {
  command(apikiln, 'init', '[dir] [options]', {
    summary: 'write the files of a new service',
    description:
      'Writes the files of a new service that is ready to run: configuration, API description, schema, data, tests, README and .gitignore. Never overwrites a file. --from-database and --from-openapi omit the data and the README; --from-database also writes .env with a new API key.',
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
        '--with <feature>',
        'write another service: login (accounts with sign-up, log-in, log-out, and mails for new passwords and addresses)',
      )
        .choices(['login'])
        .conflicts(['fromDatabase', 'fromOpenapi']),
    )
    .addOption(
      new Option(
        '--sessions <kind>',
        'with --with login: clients stay logged in by a cookie (browsers) or by tokens (apps and programs) (default: cookie)',
      ).choices(['cookie', 'tokens']),
    )
    .addOption(
      new Option(
        '--from-database <url>',
        'write operations (lists, GET, POST, PUT, PATCH, DELETE), API description, schema and (for PostgreSQL) tests for the tables and views of this server, without changing it; ${NAME} is an environment variable',
      ).conflicts('database'),
    )
    .option('--open', 'with --from-database: write operations for everybody, without a key')
    .option(
      '--tables <names>',
      'with --from-database: only these tables, separated by commas (* matches any part of a name); tables of sessions, settings and migration tools only if they are named in full',
      commaSeparated,
    )
    .option('--except <names>', 'with --from-database: all tables except these', commaSeparated)
    .addOption(
      new Option(
        '--from-openapi <file>',
        'copy this API description (OpenAPI 3.0 or 3.1), and write operations, schema and tests for its endpoints',
      ).conflicts('fromDatabase'),
    )
    .addOption(
      new Option(
        '--as <datasource>',
        'with --from-openapi: the API is a third party (OpenAPI or Swagger 2.0); write a datasource with this name, example requests and tests',
      ).conflicts(['fromDatabase', 'database']),
    )
    .action((folder: string | undefined, options: InitOptions) =>
      run(async (terminal) => (await import('./init/init.js')).init(folder, options, terminal)),
    );

  const buildCommand = command(apikiln, 'build', '[config] [options]', {
    summary: 'write the service',
    description:
      'Compiles the configuration and writes the service, ready for npm install, npm run build, npm start.',
  })
    .option(
      '-o, --out <dir>',
      'the folder of the service, created if missing (default: service next to the configuration)',
      folderName,
    )
    .addOption(
      new Option(
        '--target <target>',
        'kubernetes adds manifests (default: the target of the last build, otherwise docker)',
      ).choices(targets),
    )
    .option(
      '--with <objects>',
      `further Kubernetes objects, separated by commas: ${kubernetesExtras.join(', ')}; 'none' removes them (default: the objects of the last build)`,
      extrasIn,
    )
    .option(
      '--name <name>',
      'the name of the service, its package, its image and its Kubernetes objects (default: the name in its package.json, otherwise service)',
    )
    .addOption(
      new Option(
        '--runtime <source>',
        'the source of the runtime for package managers: a tarball in the folder (vendor) or the package @apikiln/runtime (registry) (default: the source of the last build, otherwise vendor)',
      ).choices(runtimeSources),
    )
    .option(
      '--client <file>',
      'also write a client to this file: a TypeScript module with one function for each operation',
      fileName,
    )
    .option('--check', 'print the changes of a build without writing them; exit with 3 if there are any')
    .addOption(
      new Option(
        '--watch',
        'build again whenever the configuration or the API description changes',
      ).conflicts('check'),
    )
    .option('--force', 'also overwrite files that were edited by hand or not written by a build');
  withCommonOptions(buildCommand).action(
    (config: string | undefined, written: Omit<BuildOptions, 'out'> & { readonly out?: string }) =>
      run(async (terminal) => {
        const beside = { config: resolve(terminal.folder, config ?? 'config.yaml'), folder: terminal.folder };
        (await import('./shared/owner/own-files.js')).refuseLinkedService(written.out, beside);
        const options = { ...written, out: written.out ?? join(dirname(config ?? ''), 'service') };
        if (options.watch !== true) return (await import('./build.js')).build(config, options, terminal);
        const { watch } = await import('./watch.js');
        return stoppedBySignal(process, (stop) => watch(config, options, terminal, stop));
      }),
  );

  const checkCommand = command(apikiln, 'check', '[config] [options]', {
    summary: 'report errors and warnings of the configuration',
    description: 'Prints the diagnostics of a build, without writing the service.',
  }).option('--fix', 'apply the safe fixes, then report the remaining diagnostics');
  withCommonOptions(checkCommand).action((config: string | undefined, options: CheckOptions) =>
    run(async (terminal) => (await import('./check.js')).check(config, options, terminal)),
  );
}

/** Parses a list such as `ingress,pod-monitor`. */
function extrasIn(text: string): KubernetesExtra[] {
  if (text === 'none') return [];
  const names = text.split(',').map((name) => name.trim());
  const other = names.find((name) => !kubernetesExtras.some((extra) => extra === name));
  if (other !== undefined)
    throw new InvalidArgumentError(`'${other}' is not one of ${kubernetesExtras.join(', ')}.`);
  return kubernetesExtras.filter((extra) => names.includes(extra));
}

function commaSeparated(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
