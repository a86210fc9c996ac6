/** The commands that write and check a service, with their options: init, build, check. */
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
import { command, folderName, withCommonOptions, type RunCommand } from './shared/command-options.js';
import type { InitOptions } from './init/init.js';
import { stoppedBySignal } from './shared/signals.js';

export function addBuildCommands(apikiln: Command, run: RunCommand): void {
  command(apikiln, 'init', '[dir] [options]', {
    summary: 'write a new service to start from',
    description:
      'Writes the files of a new service that runs at once: configuration, API description, schema, data, tests, README and .gitignore. Never overwrites a file. With --from-database and --from-openapi there is neither data nor README; --from-database also writes .env with a new API key.',
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
        'write operations (lists, GET, POST, PUT, PATCH, DELETE), API description, schema and (for PostgreSQL) tests for the tables and views of this server; nothing changes there, and ${NAME} is a variable of the environment',
      ).conflicts('database'),
    )
    .option('--open', 'with --from-database: operations for everybody, without a key')
    .option(
      '--tables <names>',
      'with --from-database: only these tables, separated by commas (* is any part of a name); tables of sessions, settings and migration tools only where they are named in full',
      commaSeparated,
    )
    .option('--except <names>', 'with --from-database: all tables but these', commaSeparated)
    .addOption(
      new Option(
        '--from-openapi <file>',
        'write operations, schema and tests for the endpoints of this API description (OpenAPI 3.0 or 3.1), which is copied',
      ).conflicts('fromDatabase'),
    )
    .addOption(
      new Option(
        '--as <datasource>',
        'with --from-openapi: the description is that of a third party (OpenAPI or Swagger 2.0); write a datasource of this name with it, example requests and tests',
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
      'the folder of the service, created if missing (default: service beside the configuration)',
      folderName,
    )
    .addOption(
      new Option(
        '--target <target>',
        'kubernetes adds manifests (default: what the folder was built for last, else docker)',
      ).choices(targets),
    )
    .option(
      '--with <objects>',
      `further objects of Kubernetes, separated by commas: ${kubernetesExtras.join(', ')}; none removes them (default: those of the last build)`,
      extrasIn,
    )
    .option(
      '--name <name>',
      'the name of the service, of its package, its image and its objects in Kubernetes (default: the name in its package.json, else service)',
    )
    .addOption(
      new Option(
        '--runtime <source>',
        'where package managers get the runtime: vendor is a tarball in the folder, registry is the package @apikiln/runtime of a registry (default: that of the last build, else vendor)',
      ).choices(runtimeSources),
    )
    .option('--check', 'write nothing; print what a build would change, and exit with 3 if there is anything')
    .addOption(
      new Option(
        '--watch',
        'build again whenever the configuration or the API description changes',
      ).conflicts('check'),
    )
    .option('--force', 'also replace files that no build wrote, or that were edited by hand');
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
    description: 'Prints everything that build would report, and writes nothing.',
  }).option('--fix', 'apply the safe fixes, then report the remaining diagnostics');
  withCommonOptions(checkCommand).action((config: string | undefined, options: CheckOptions) =>
    run(async (terminal) => (await import('./check.js')).check(config, options, terminal)),
  );
}

/** `ingress,pod-monitor` */
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
