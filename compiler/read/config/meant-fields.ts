/** The fields of each resource type, and fields and words that are commonly mistaken for others. */
import { nearest } from '../diagnostics/suggest.js';
import type { AuthenticationType, DatasourceType } from './config-model.js';
import { fieldTable, kindNames, type Kind } from './field-table.js';

const ofFulfillments = ['name', 'type', 'if', 'exceptions'];
const ofData = [...ofFulfillments, 'datasource', 'instructions', 'loopbreak', 'index', 'onFailure'];
const ofCode = [...ofFulfillments, 'function', 'input', 'returns'];
const ofCompute = [...ofFulfillments, 'schema'];
const ofLists = ['order', 'page', 'filter'];
const ofQueries = [...ofFulfillments, 'datasource', 'queries', 'join'];

/** The fields of fulfillments, by syntax and type. */
export const fulfillmentFields = {
  A: {
    READ: [...ofData, ...ofLists],
    UPDATE: ofData,
    LOOP: [...ofFulfillments, 'loop', 'fulfillments', 'loopbreak', 'index', 'concurrency', 'together'],
    reference: [
      ...[...ofFulfillments, 'operationName', 'parameters', 'loopbreak', 'index', 'onFailure'],
      ...['deliver', 'outbox', 'times', 'within'],
    ],
    CODE: [...ofCode, 'loopbreak', 'index'],
    COMPUTE: [...ofCompute, 'loopbreak', 'index'],
  },
  B: {
    READ: [...ofQueries, ...ofLists],
    UPDATE: ofQueries,
    CODE: [...ofCode, 'join'],
    COMPUTE: ofCompute,
  },
} as const;

/** The fields of datasources, by type. */
export const datasourceFields = {
  db: ['type', 'url', 'user', 'password', 'driver', 'pool', 'timeout', 'context', 'role'],
  rest: [
    'type',
    'url',
    'user',
    'password',
    'header',
    'timeout',
    'response',
    'retry',
    'oauth2',
    'signature',
    'limit',
    'description',
    'outbox',
  ],
  smtp: ['type', 'url', 'user', 'password', 'from', 'timeout', 'outbox'],
} as const satisfies Readonly<Record<DatasourceType, readonly string[]>>;

/** The fields of authentications, by type. */
export const authenticationFields = {
  basicauth: ['type', 'user', 'password', 'passwordHash', 'operation', 'default', 'limits'],
  jwt: [
    ...['type', 'issuer', 'audience', 'expiry', 'jwks', 'key', 'algorithms', 'scheme', 'cookie'],
    ...['scopesClaim', 'operation', 'issue', 'default', 'limits'],
  ],
  apikey: ['type', 'header', 'query', 'cookie', 'scheme', 'prefix', 'keys', 'operation', 'default', 'limits'],
  signature: ['type', 'scheme', 'secrets', 'limits'],
  custom: ['type', 'default', 'limits'],
} as const satisfies Readonly<Record<AuthenticationType, readonly string[]>>;

const synonyms: Readonly<Record<string, readonly string[]>> = {
  specification: ['version'],
  fulfillments: ['steps'],
  triggers: ['on', 'schedule', 'schedules', 'timer', 'timers', 'every'],
  mappings: ['models'],
  if: ['when', 'condition'],
  exceptions: ['errors', 'throws'],
  concurrency: ['parallel', 'parallelism', 'concurrent', 'workers'],
  together: ['parallel', 'concurrent', 'simultaneous', 'simultaneously'],
  operationName: ['operation'],
  function: ['func', 'fn', 'code', 'handler', 'call'],
  input: ['inputs', 'args', 'arguments', 'argument'],
  returns: ['return', 'result', 'output', 'returntype', 'outputs'],
  parameters: ['params', 'args', 'arguments'],
  param: ['parameter', 'value'],
  query: ['sql', 'statement'],
  sql: ['statement'],
  url: ['uri', 'jdbcurl', 'jdbc', 'endpoint', 'baseurl'],
  httpType: ['method', 'httpmethod', 'verb'],
  contentType: ['content-type', 'mediatype'],
  onFailure: ['onerror', 'continueonerror', 'continueonfailure', 'onfail', 'catch', 'ignoreerrors'],
  deliver: ['delivery', 'send', 'when'],
  response: ['encoding', 'responsetype', 'responseformat', 'expect', 'parse'],
  retry: ['retries', 'retrypolicy', 'retryconfig'],
  times: ['count', 'attempts', 'retries', 'maxattempts', 'maxretries', 'limit'],
  wait: ['delay', 'interval', 'backoff', 'pause', 'initialdelay'],
  tokenUrl: ['tokenuri', 'tokenendpoint', 'accesstokenurl', 'accesstokenuri'],
  clientId: ['client'],
  clientAuth: ['authmethod', 'tokenendpointauthmethod', 'clientauthenticationmethod', 'authstyle'],
  to: ['recipient', 'recipients'],
  replyTo: ['reply-to'],
  subject: ['title'],
  order: ['orderby', 'sort', 'sorting', 'sortby'],
  page: ['paging', 'pagination', 'cursor'],
  filter: ['filters', 'where', 'conditions', 'search'],
  operators: ['operator', 'ops', 'comparisons'],
  separator: ['delimiter', 'split'],
  by: ['sort', 'param', 'parameter'],
  allow: ['allowed', 'orders', 'columns'],
  after: ['cursor', 'token', 'next', 'from', 'offset', 'skip'],
  oauth2: ['oauth', 'clientcredentials'],
  perSecond: ['rps', 'rate', 'requestspersecond'],
  atOnce: ['concurrency', 'maxconcurrent', 'parallel', 'maxconnections'],
  limit: ['ratelimit', 'throttle'],
  limits: ['ratelimits', 'ratelimit', 'throttling'],
  within: ['window', 'per', 'period', 'interval', 'duration'],
  store: ['storage', 'backend', 'datasource'],
  maxWait: ['max', 'maxdelay', 'maxinterval', 'maxbackoff'],
  statuscode: ['status', 'code', 'httpstatus'],
  message: ['msg', 'text', 'error', 'detail', 'reason'],
  operations: ['paths', 'routes', 'endpoints'],
  authentications: ['auth', 'security', 'authorization'],
  driver: ['driverclassname', 'driver-class-name'],
  min: ['minimum', 'minidle', 'minimumidle', 'minpoolsize', 'minsize'],
  max: ['maximum', 'maxpoolsize', 'maximumpoolsize', 'maxsize', 'size', 'connectionlimit', 'maxactive'],
  schema: ['body', 'json'],
  cron: ['schedule', 'crontab'],
  timezone: ['zone', 'tz'],
  user: ['username', 'login', 'usr'],
  password: ['pass', 'pwd', 'secret'],
  type: ['kind'],
};

/** The field probably meant by `field`; undefined if no known field is similar. */
export function meantField(field: string, known: readonly string[]): string | undefined {
  const near = nearest(field, known);
  if (near !== undefined) return near;
  const wanted = field.toLowerCase().replaceAll(/[\s_]/g, '');
  return known.find(
    (name) => synonyms[name]?.includes(wanted) === true || name.toLowerCase() === wanted.replaceAll('-', ''),
  );
}

/** Whether most names in a map (including `own`) are fields of one resource, so that `own` is not a user-chosen name. */
export function areFields(names: Iterable<string>, own: string): boolean {
  const written = [...names];
  return Object.values(fieldTable).some(
    (fields) =>
      Object.hasOwn(fields, own) &&
      written.filter((name) => Object.hasOwn(fields, name)).length * 2 > written.length,
  );
}

/** The resources that have the field, as named in messages. */
export function resourcesWith(field: string): string[] {
  const kinds = Object.entries(fieldTable).filter(([, fields]) => Object.hasOwn(fields, field));
  return [...new Set(kinds.map(([kind]) => kindNames[kind as Kind]))];
}

/** The types of fulfillments or datasources that have the field; `fields` are those of the current type. */
export function typesWith(field: string, fields: readonly string[]): string[] {
  const tables: Readonly<Record<string, readonly string[]>>[] = [
    fulfillmentFields.A,
    fulfillmentFields.B,
    datasourceFields,
    authenticationFields,
  ];
  const own = tables.find((table) => Object.values(table).includes(fields)) ?? {};
  return Object.entries(own).flatMap(([type, all]) => (all.includes(field) ? [type] : []));
}

const wordSynonyms: Readonly<Record<string, readonly string[]>> = {
  READ: ['select', 'query', 'get', 'fetch'],
  UPDATE: ['insert', 'delete', 'write', 'create', 'modify', 'merge', 'upsert'],
  LOOP: ['for', 'foreach', 'each', 'while', 'iterate', 'repeat'],
  reference: ['call', 'operation', 'invoke'],
  CODE: ['function', 'script', 'javascript', 'typescript', 'js', 'ts', 'custom'],
  COMPUTE: ['let', 'set', 'assign', 'value', 'calculate', 'const', 'variable'],
  db: ['database', 'sql', 'jdbc', 'postgres', 'postgresql', 'mysql', 'mariadb'],
  rest: ['http', 'https', 'api'],
  smtp: ['mail', 'email', 'e-mail', 'smtps'],
  basicauth: ['basic', 'basic-auth', 'basic_auth', 'http-basic'],
  jwt: ['bearer', 'token', 'oauth2', 'oidc', 'openidconnect'],
  apikey: ['api-key', 'api_key', 'key'],
  signature: ['webhook', 'hmac'],
  custom: ['middleware'],
  json: ['application/json'],
  afterCommit: [
    'aftercommit',
    'after-commit',
    'after commit',
    'oncommit',
    'later',
    'async',
    'outbox',
    'true',
  ],
  continue: ['ignore', 'resume', 'skip', 'proceed', 'true'],
  form: [
    ...['application/x-www-form-urlencoded', 'x-www-form-urlencoded', 'form-urlencoded', 'urlencoded'],
    'url-encoded',
  ],
};

/** The word probably meant by `written`; undefined if no word is similar. */
export function meantWord<Word extends string>(written: string, words: readonly Word[]): Word | undefined {
  const wanted = written.toLowerCase();
  const meant = nearest(written, words);
  return words.find((word) => word === meant || wordSynonyms[word]?.includes(wanted) === true);
}
