/** src/datasources.ts: the datasources of the configuration, without anything secret. */
import type { DatabasePlan, DatasourcePlan, OAuth2Plan, RestPlan, ServicePlan } from '../../plan/plan.js';
import type { Limit } from '../../plan/model.js';
import { datasourceResource, variablesOf } from '../../plan/environment.js';
import { settingsComment } from './settings-comment.js';
import { stringLiteral } from '../../../notation/typescript-writer.js';
import { Module } from '../module/module.js';
import { readsVariable } from '../module/reads-variable.js';
import { emptyScope } from '../scope.js';
import { emitExpression } from '../expression.js';
import { emitRetry } from '../request-call.js';

/** `isTested`: third parties are played, and not called. */
export function emitDatasources(plan: ServicePlan, isTested = false): Module {
  const { datasources, configName } = plan;
  const module = new Module('src/datasources.ts', configName);
  for (const datasource of datasources) module.add(emitDatasource(datasource, module, plan, isTested));
  const identifiers = datasources.map((datasource) => datasource.identifier);
  module.add(
    `/** All datasources. They are opened when the service starts; .env.example explains their settings. */\nexport const datasources = [${identifiers.join(', ')}];`,
  );
  const outbox = emitOutbox(plan, module, isTested);
  if (outbox !== undefined) module.add(outbox);
  return module;
}

function emitDatasource(
  datasource: DatasourcePlan,
  module: Module,
  { debug, environment }: ServicePlan,
  isTested: boolean,
): string {
  const { name, identifier } = datasource;
  const creation =
    datasource.type === 'db'
      ? emitDatabase(datasource, module, debug)
      : emitRest(datasource, module, isTested ? 'testedRest' : debug ? 'tracedRest' : 'rest');
  const settings = settingsComment(kindOf(datasource), variablesOf(datasourceResource(name), environment));
  return `${settings}\nexport const ${identifier} = ${creation};`;
}

/** The datasources whose requests are stored; undefined where none is. */
function emitOutbox(plan: ServicePlan, module: Module, isTested: boolean): string | undefined {
  const entries = plan.datasources.flatMap((datasource) => {
    if (datasource.type !== 'rest' || datasource.outbox === undefined) return [];
    const { database, role } = datasource.outbox;
    const fields = [
      `datasource: ${datasource.identifier}`,
      `database: ${database}`,
      ...(role === undefined ? [] : [`role: ${stringLiteral(role)}`]),
    ];
    return [`{ ${fields.join(', ')} },`];
  });
  if (entries.length === 0) return undefined;
  const create = module.runtime(isTested ? 'testedOutbox' : plan.debug ? 'tracedOutbox' : 'createOutbox');
  return `/** Requests that are sent after the commit. Until then they are stored in the database. */\nexport const outbox = ${create}([\n${entries.join('\n')}\n]);`;
}

function kindOf(datasource: DatasourcePlan): string {
  if (datasource.type === 'rest') return 'REST API';
  return datasource.dialect === 'postgresql' ? 'PostgreSQL' : 'MySQL or MariaDB';
}

function emitRest(
  { name, hasUrl, header, timeout, retry, oauth2, signature, limit }: RestPlan,
  module: Module,
  create: 'rest' | 'testedRest' | 'tracedRest',
): string {
  const fields = [
    `name: ${stringLiteral(name)}`,
    ...(hasUrl ? [] : ['needsUrl: false']),
    ...(header.length === 0 ? [] : [`header: [${header.map(stringLiteral).join(', ')}]`]),
    ...(timeout === undefined ? [] : [`timeout: ${timeout}`]),
    ...(retry === undefined ? [] : [`retry: ${emitRetry(retry, module)}`]),
    ...(oauth2 === undefined ? [] : [`oauth2: ${emitOAuth2(oauth2, module)}`]),
    ...(signature === undefined
      ? []
      : [`signature: ${module.runtime('signer')}(${stringLiteral(signature)})`]),
    ...(limit === undefined ? [] : [`limit: ${emitLimit(limit, module)}`]),
  ];
  return `${module.runtime(create)}({ ${fields.join(', ')} })`;
}

/** `oauth2({ hasScope: true })`. */
function emitOAuth2({ hasScope, parameters, clientAuth }: OAuth2Plan, module: Module): string {
  const fields = [
    ...(hasScope ? ['hasScope: true'] : []),
    ...(parameters.length === 0 ? [] : [`parameters: [${parameters.map(stringLiteral).join(', ')}]`]),
    ...(clientAuth === 'body' ? ["clientAuth: 'body'"] : []),
  ];
  return `${module.runtime('oauth2')}(${fields.length === 0 ? '' : `{ ${fields.join(', ')} }`})`;
}

/** `rateLimit({ perSecond: 10, atOnce: 4 })`. */
function emitLimit({ perSecond, atOnce }: Limit, module: Module): string {
  const fields = [
    ...(perSecond === undefined ? [] : [`perSecond: ${perSecond}`]),
    ...(atOnce === undefined ? [] : [`atOnce: ${atOnce}`]),
  ];
  return `${module.runtime('rateLimit')}({ ${fields.join(', ')} })`;
}

function emitDatabase(
  { name, dialect, pool, timeout, context, role }: DatabasePlan,
  module: Module,
  debug: boolean,
): string {
  const create = module.runtime(dialect === 'postgresql' ? 'postgres' : 'mysql');
  const bounds = [
    ...(pool.min === undefined ? [] : [`min: ${pool.min}`]),
    ...(pool.max === undefined ? [] : [`max: ${pool.max}`]),
  ];
  const fields = [
    `name: ${stringLiteral(name)}`,
    ...(bounds.length === 0 ? [] : [`pool: { ${bounds.join(', ')} }`]),
    ...(timeout === undefined ? [] : [`timeout: ${timeout}`]),
    ...emitContext(context, role, module),
  ];
  const creation = `${create}({ ${fields.join(', ')} })`;
  return debug ? `${module.runtime('tracedDatabase')}(${creation})` : creation;
}

/** The settings behind which statements run, and their role. */
function emitContext(
  context: DatabasePlan['context'],
  role: string | undefined,
  module: Module,
): readonly string[] {
  const settings = context.map(({ name, value }) => {
    const { text } = emitExpression(value, emptyScope(module));
    return `${stringLiteral(name)}: (${readsVariable(text, 'call') ? 'call' : ''}) => ${text},`;
  });
  const fields = [
    ...(settings.length === 0 ? [] : [`settings: {\n${settings.join('\n')}\n}`]),
    ...(role === undefined ? [] : [`role: ${stringLiteral(role)}`]),
  ];
  return fields.length === 0 ? [] : [`context: ${module.runtime('rowsOfCaller')}({ ${fields.join(', ')} })`];
}
