/** src/datasources.ts: the datasources of the configuration, without secrets. */
import {
  array,
  arrow,
  call,
  constant,
  doc,
  exported,
  field,
  fieldOf,
  jsonFields,
  literal,
  name,
  object,
  parameter,
  tallArray,
  tallObject,
  type Code,
  type Field,
} from '../../code/code.js';
import { reads } from '../../code/code-parts.js';
import type { DatabasePlan, DatasourcePlan, OAuth2Plan, RestPlan, ServicePlan } from '../../plan/plan.js';
import type { Limit } from '../../plan/model.js';
import { datasourceResource, variablesOf } from '../../plan/environment.js';
import { settingsComment } from './settings-comment.js';
import { Module } from '../module/module.js';
import { emptyScope } from '../scope.js';
import { emitExpression, theCall } from '../expression.js';
import { emitRetry } from '../request-call.js';

/** `isTested`: third parties are stubbed. */
export function emitDatasources(plan: ServicePlan, isTested = false): Module {
  const { datasources, configName } = plan;
  const module = new Module('src/datasources.ts', configName);
  for (const datasource of datasources) emitDatasource(datasource, module, plan, isTested);
  const identifiers = datasources.map((datasource) => name(datasource.identifier));
  module.add(
    doc('All datasources. They are opened when the service starts; .env.example explains their settings.'),
    exported(constant(name('datasources'), array(identifiers))),
  );
  emitOutbox(plan, module, isTested);
  return module;
}

function emitDatasource(
  datasource: DatasourcePlan,
  module: Module,
  { debug, environment }: ServicePlan,
  isTested: boolean,
): void {
  const creation = emitCreation(datasource, module, debug, isTested);
  const variables = variablesOf(datasourceResource(datasource.name), environment);
  module.add(
    settingsComment(kindOf(datasource), variables),
    exported(constant(name(datasource.identifier), creation)),
  );
}

function emitCreation(datasource: DatasourcePlan, module: Module, debug: boolean, isTested: boolean): Code {
  switch (datasource.type) {
    case 'db':
      return emitDatabase(datasource, module, debug);
    case 'rest':
      return emitRest(datasource, module, isTested ? 'testedRest' : debug ? 'tracedRest' : 'rest');
    case 'smtp': {
      const create = module.runtime(isTested ? 'testedSmtp' : debug ? 'tracedSmtp' : 'smtp');
      return call(create, object(jsonFields({ name: datasource.name, timeout: datasource.timeout })));
    }
  }
}

/** Declares the outbox if any datasource stores its requests, or any database stores calls. */
function emitOutbox(plan: ServicePlan, module: Module, isTested: boolean): void {
  const requests = plan.datasources.flatMap((datasource) => {
    if (datasource.type === 'db' || datasource.outbox === undefined) return [];
    const { database, role } = datasource.outbox;
    return [
      object([
        field('datasource', name(datasource.identifier)),
        field('database', name(database)),
        ...jsonFields({ role }),
      ]),
    ];
  });
  const calls = plan.datasources.flatMap((datasource) => {
    if (datasource.type !== 'db' || !datasource.storesCalls) return [];
    const { identifier, role } = datasource;
    return [
      object([field('calls', literal(true)), field('database', name(identifier)), ...jsonFields({ role })]),
    ];
  });
  const entries = [...requests, ...calls];
  if (entries.length === 0) return;
  const options = plan.environment.outboxKey === undefined ? [] : [object(jsonFields({ isSealed: true }))];
  const create = module.runtime(isTested ? 'testedOutbox' : plan.debug ? 'tracedOutbox' : 'createOutbox');
  const hasMails = plan.datasources.some((one) => one.type === 'smtp' && one.outbox !== undefined);
  module.add(
    doc(
      hasMails
        ? 'Mails and other messages that are sent after the commit. Until then they are stored in the database.'
        : calls.length === 0
          ? 'Requests that are sent after the commit. Until then they are stored in the database.'
          : requests.length === 0
            ? 'Calls that are made after the commit. Until then they are stored in the database.'
            : 'Requests and calls that are made after the commit. Until then they are stored in the database.',
    ),
    exported(constant(name('outbox'), call(create, tallArray(entries), ...options))),
  );
}

function kindOf(datasource: DatasourcePlan): string {
  switch (datasource.type) {
    case 'rest':
      return 'REST API';
    case 'smtp':
      return 'Mail server';
    case 'db':
      return datasource.dialect === 'postgresql' ? 'PostgreSQL' : 'MySQL or MariaDB';
  }
}

function emitRest(
  { name: datasource, hasUrl, header, timeout, response, retry, oauth2, signature, limit }: RestPlan,
  module: Module,
  create: 'rest' | 'testedRest' | 'tracedRest',
): Code {
  const plain = {
    name: datasource,
    needsUrl: hasUrl ? undefined : false,
    header: header.length === 0 ? undefined : header,
    timeout,
  };
  const fields = [
    ...jsonFields(plain),
    ...fieldOf('response', response && literal(response)),
    ...fieldOf('retry', retry && emitRetry(retry, module)),
    ...fieldOf('oauth2', oauth2 && emitOAuth2(oauth2, module)),
    ...fieldOf('signature', signature && call(module.runtime('signer'), literal(signature))),
    ...fieldOf('limit', limit && emitLimit(limit, module)),
  ];
  return call(module.runtime(create), object(fields));
}

/** `oauth2({ hasScope: true })`. */
function emitOAuth2({ hasScope, parameters, clientAuth }: OAuth2Plan, module: Module): Code {
  const fields = jsonFields({
    hasScope: hasScope ? true : undefined,
    parameters: parameters.length === 0 ? undefined : parameters,
    clientAuth: clientAuth === 'body' ? clientAuth : undefined,
  });
  return call(module.runtime('oauth2'), ...(fields.length === 0 ? [] : [object(fields)]));
}

/** `rateLimit({ perSecond: 10, atOnce: 4 })`. */
function emitLimit({ perSecond, atOnce }: Limit, module: Module): Code {
  return call(module.runtime('rateLimit'), object(jsonFields({ perSecond, atOnce })));
}

function emitDatabase(
  { name: datasource, dialect, pool, timeout, context, role }: DatabasePlan,
  module: Module,
  debug: boolean,
): Code {
  const create = module.runtime(dialect === 'postgresql' ? 'postgres' : 'mysql');
  const bounds = jsonFields({ min: pool.min, max: pool.max });
  const fields = [
    field('name', literal(datasource)),
    ...fieldOf('pool', bounds.length === 0 ? undefined : object(bounds)),
    ...jsonFields({ timeout }),
    ...emitContext(context, role, module),
  ];
  const creation = call(create, object(fields));
  return debug ? call(module.runtime('tracedDatabase'), creation) : creation;
}

/** The settings and the role that are set before statements run. */
function emitContext(
  context: DatabasePlan['context'],
  role: string | undefined,
  module: Module,
): readonly Field[] {
  const settings = context.map((setting) => {
    const { code } = emitExpression(setting.value, emptyScope(module));
    const parameters = reads(code, theCall.name) ? [parameter(theCall)] : [];
    return field(setting.name, arrow(parameters, code));
  });
  const fields = [
    ...fieldOf('settings', settings.length === 0 ? undefined : tallObject(settings)),
    ...jsonFields({ role }),
  ];
  if (fields.length === 0) return [];
  return [field('context', call(module.runtime('rowsOfCaller'), object(fields)))];
}
