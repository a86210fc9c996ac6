/** Starts the service as a process: settings, datasources, HTTP, signals. */
import { readFileSync } from 'node:fs';
import type { Datasource, Service } from './contracts.js';
import { createLog, type Log } from './log.js';
import { loopLimit } from '../handler/loop-limit.js';
import { operationToRun, runOnce } from './run-once.js';
import { serve, type Ready } from './serve.js';
import { readSettings, type Settings } from './settings.js';
import { StartError } from './start-error.js';

/**
 * Starts the service, and returns when it listens. What keeps it from starting is one sentence on standard error and exit
 * status 1. SIGTERM and SIGINT stop it with status 0 once the requests in flight are answered; a second one stops it at once.
 *
 * On the command line, `run <operation>` runs that timed operation once instead, without HTTP: exit status 0, 1 when it
 * failed, 2 when there is no such operation.
 */
export async function startService(service: Service): Promise<void> {
  const operation = operationToRun(process.argv.slice(2), service.schedule?.operations ?? []);
  try {
    if (operation === undefined) await serve(service, await prepare(service, true));
    else await runOnce(operation, service, await prepare(service, false));
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    for (const problem of error.problems) process.stderr.write(`${problem}\n`);
    process.exit(1);
  }
}

async function prepare(
  { datasources = [], authentications = [], schedule, envFile }: Service,
  isServing: boolean,
): Promise<Ready> {
  const settings = readSettings({
    variables: process.env,
    envFile: readText(envFile),
    datasources,
    authentications,
  });
  const log = createLog(settings.logLevel, settings.secrets, settings.logFormat);
  loopLimit.elements = settings.loopLimit;
  loopLimit.memory = settings.listMemory;
  openAll(datasources, settings, log);
  const metrics =
    isServing && settings.managementPort !== undefined
      ? new (await import('../management/service-metrics.js')).ServiceMetrics(datasources)
      : undefined;
  if (metrics) for (const datasource of datasources) datasource.observe?.(metrics);
  schedule?.open({ settings, datasources, log, observer: metrics });
  return { settings, log, metrics };
}

function readText(file: URL | undefined): string {
  if (!file) return '';
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
    if (code === 'ENOENT') return '';
    throw new StartError([`The settings cannot be read from ${file.pathname}: ${String(code)}`]);
  }
}

function openAll(datasources: readonly Datasource[], settings: Settings, log: Log): void {
  const problems: string[] = [];
  for (const datasource of datasources) {
    const options = settings.datasources.get(datasource.name);
    if (!options) throw new Error(`no settings were read for the datasource ${datasource.name}`);
    try {
      const warn = (warning: string): void => {
        log.warn({ datasource: datasource.name }, warning);
      };
      datasource.open(options, warn).forEach(warn);
    } catch (error) {
      problems.push(
        `datasource ${datasource.name}: ${error instanceof Error ? error.message : 'cannot be opened'}`,
      );
    }
  }
  if (problems.length > 0) throw new StartError(problems);
}
