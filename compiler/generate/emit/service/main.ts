/** src/main.ts: starts the service with its optional parts. */
import {
  call,
  comment,
  create,
  field,
  fieldOf,
  literal,
  member,
  name,
  run,
  tallObject,
  wait,
  type Code,
} from '../../code/code.js';
import { apiVersion } from '../../../../runtime/server/api-version.js';
import type { ServicePlan } from '../../plan/plan.js';
import { toolsModule, toolsName } from './tools-module.js';
import { specifierOf } from '../../plan/names/runtime-symbols.js';
import { Module } from '../module/module.js';

/** The optional parts of a service. */
export interface MainParts {
  readonly configName: string;
  /** The version in package.json. */
  readonly version: string;
  readonly authentications: boolean;
  /** Whether the service counts all requests, or counts in a database. */
  readonly limits: boolean;
  /** Whether operations have idempotency keys. */
  readonly idempotency: boolean;
  readonly env: boolean;
  readonly ownCode: boolean;
  readonly schedule: boolean;
  readonly outbox: boolean;
  /** Whether MCP clients can call operations. */
  readonly tools: boolean;
  /** Whether operations are called after a commit. */
  readonly afterCommit: boolean;
  /** Which page shows the API description. */
  readonly description: 'test-page' | 'api-docs' | undefined;
  /** Which module builds error bodies; undefined for `{ "message": … }`. */
  readonly errors: 'problem' | 'own' | undefined;
  /** The operations that `apikiln test` can call. */
  readonly underTest?: ServicePlan['operations'] | undefined;
}

export function emitMain(parts: MainParts): Module {
  const { underTest } = parts;
  const module = new Module('src/main.ts', parts.configName);
  const outbox = parts.outbox ? module.import('src/datasources', 'outbox') : undefined;
  const start = module.import(
    specifierOf(parts.outbox ? 'outbox' : 'server'),
    parts.outbox ? 'startWithOutbox' : 'startService',
  );
  const datasources = module.import('src/datasources', 'datasources');
  const page = emitPage(parts.description, module);
  const fields = [
    comment("The version of the runtime's API."),
    field('api', literal(apiVersion)),
    field('router', module.import('src/router', 'router')),
    field('datasources', datasources),
    ...fieldOf('authentications', ifHas(parts.authentications, 'authentications', module)),
    ...fieldOf('limits', ifHas(parts.limits, 'limits', module)),
    ...fieldOf('idempotency', ifHas(parts.idempotency, 'idempotency', module)),
    ...fieldOf('env', ifHas(parts.env, 'env', module)),
    ...fieldOf('schedule', ifHas(parts.schedule, 'schedule', module)),
    ...fieldOf(
      'afterCommit',
      parts.afterCommit ? module.import('src/after-commit', 'afterCommit') : undefined,
    ),
    ...fieldOf('ownCode', parts.ownCode ? module.import(specifierOf('own-code'), 'openOwnCode') : undefined),
    ...fieldOf('errors', emitErrorForms(parts.errors, module)),
    ...fieldOf('tools', parts.tools ? module.import(toolsModule, toolsName) : undefined),
    ...fieldOf(
      'testPage',
      underTest === undefined ? page : emitObserved(underTest, { datasources, outbox, page }, module),
    ),
    comment('Each of these files is optional.'),
    field('app', urlOf('./app.js')),
    field('middleware', urlOf('./middleware.js')),
    field('envFile', urlOf('../.env')),
    comment('For metrics.'),
    field('version', literal(parts.version)),
  ];
  module.add(
    comment(
      parts.schedule
        ? 'Starts the service, or runs one timed operation: `node dist/main.js run <operation>`.'
        : 'Starts the service.',
    ),
    ...(parts.outbox
      ? [comment('`node dist/main.js outbox list` shows what waits to be sent, and what could not be.')]
      : []),
    run(wait(call(start, ...(outbox === undefined ? [] : [outbox]), tallObject(fields)))),
  );
  return module;
}

/** The export named `symbol` of its module, imported if the service has the module. */
function ifHas(
  isThere: boolean,
  symbol: 'authentications' | 'env' | 'errors' | 'idempotency' | 'limits' | 'schedule',
  module: Module,
): Code | undefined {
  return isThere ? module.import(`src/${symbol}`, symbol) : undefined;
}

function emitErrorForms(errors: MainParts['errors'], module: Module): Code | undefined {
  return errors === 'problem'
    ? module.import(specifierOf('errors'), 'problem')
    : ifHas(errors === 'own', 'errors', module);
}

function emitPage(description: MainParts['description'], module: Module): Code | undefined {
  if (description === undefined) return undefined;
  const creator = description === 'test-page' ? 'createTestPage' : 'createApiDocs';
  return call(
    module.import(specifierOf(description), creator),
    module.import('src/api-description', 'apiDescription'),
  );
}

/** `new URL('./app.js', import.meta.url)`. */
function urlOf(path: string): Code {
  return create(name('URL'), literal(path), member(member(name('import'), 'meta'), 'url'));
}

/** Handlers by operation name, and other parts that tests access. */
function emitObserved(
  operations: ServicePlan['operations'],
  { datasources, outbox, page }: Readonly<Record<'datasources' | 'outbox' | 'page', Code | undefined>>,
  module: Module,
): Code {
  const handlers = operations.map((operation) =>
    field(operation.name, module.import(`src/operations/${operation.fileName}`, operation.functionName)),
  );
  const fields = [
    field('operations', tallObject(handlers)),
    ...fieldOf('datasources', datasources),
    ...fieldOf('outbox', outbox),
    ...fieldOf('testPage', page),
  ];
  return call(module.import(specifierOf('testing'), 'underTest'), tallObject(fields));
}
