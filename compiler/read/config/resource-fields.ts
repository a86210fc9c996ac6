/** The fields of every resource, in the order of the specification, and what people write instead of them. */
import { nearest } from '../diagnostics/suggest.js';

const ofFulfillments = ['name', 'type', 'if', 'exceptions'];
const ofData = [...ofFulfillments, 'datasource', 'instructions', 'loopbreak', 'index', 'onFailure'];
const ofCode = [...ofFulfillments, 'function', 'input', 'returns'];
const ofLists = ['order', 'page'];
const ofQueries = [...ofFulfillments, 'datasource', 'queries', 'join'];

/** The fields of a fulfillment by syntax and type. */
export const fulfillmentFields = {
  A: {
    READ: [...ofData, ...ofLists],
    UPDATE: ofData,
    LOOP: [...ofFulfillments, 'loop', 'fulfillments', 'loopbreak', 'index', 'concurrency'],
    reference: [...ofFulfillments, 'operationName', 'parameters', 'loopbreak', 'index', 'onFailure'],
    CODE: [...ofCode, 'loopbreak', 'index'],
  },
  B: { READ: [...ofQueries, ...ofLists], UPDATE: ofQueries, CODE: [...ofCode, 'join'] },
} as const;

/** The fields of a datasource by type (decisions 5.9 and 6.1). */
export const datasourceFields = {
  db: ['type', 'url', 'user', 'password', 'driver', 'pool', 'timeout', 'context', 'role'],
  rest: [
    'type',
    'url',
    'user',
    'password',
    'header',
    'timeout',
    'retry',
    'oauth2',
    'signature',
    'limit',
    'description',
    'outbox',
  ],
} as const;

/** The fields of an authentication by type (extensions 12.3). */
export const authenticationFields = {
  basicauth: ['type', 'user', 'password', 'passwordHash', 'default'],
  jwt: [
    ...['type', 'issuer', 'audience', 'jwks', 'key', 'algorithms', 'scheme', 'cookie', 'scopesClaim'],
    'default',
  ],
  apikey: ['type', 'header', 'query', 'cookie', 'keys', 'operation', 'default'],
  signature: ['type', 'scheme', 'secrets'],
  custom: ['type', 'default'],
} as const;

/** The fields of each kind of resource, by the name of the kind in a sentence. */
export const resourceFields = {
  'the configuration': [
    ...['specification', 'include', 'operations', 'datasources', 'authentications', 'settings'],
  ],
  'an operation': [
    'exceptions',
    'fulfillments',
    'responses',
    'triggers',
    'mappings',
    'transaction',
    'authentications',
  ],
  'a fulfillment': [
    ...new Set([...Object.values(fulfillmentFields.A), ...Object.values(fulfillmentFields.B)].flat()),
  ],
  'an instruction': ['if', 'query', 'request', 'sql'],
  'a query': ['if', 'query'],
  'an instruction with sql': ['query', 'parameters'],
  'a request': [
    ...['url', 'httpType', 'header', 'body', 'multipart', 'retry', 'idempotencyKey', 'pages'],
    ...['signature', 'deliver', 'key'],
  ],
  "'order'": ['by', 'allow', 'default', 'key'],
  "'page'": ['limit', 'max', 'after'],
  pages: ['next', 'parameter', 'items', 'max'],
  "'oauth2'": ['tokenUrl', 'clientId', 'clientSecret', 'scope', 'parameters', 'clientAuth'],
  "'signature'": ['scheme', 'secret'],
  "'limit'": ['perSecond', 'atOnce'],
  'a retry': ['times', 'on', 'wait', 'maxWait'],
  'the body of a request': ['contentType', 'schema'],
  'an exception': ['if', 'statuscode', 'message', 'header', 'code', 'schema'],
  'a response': [
    ...['name', 'default', 'if', 'statuscode', 'header', 'contentType', 'schema'],
    ...['fileName', 'etag', 'spreadsheet'],
  ],
  'a trigger': ['name', 'cron', 'timezone'],
  'a datasource': [...new Set([...datasourceFields.db, ...datasourceFields.rest])],
  'an authentication': [...new Set(Object.values(authenticationFields).flat())],
  'an accepted authentication': ['name', 'scopes', 'optional'],
  settings: ['debug', 'minimal', 'apiDocs', 'basePath', 'errors', 'licence'],
  'a form of errors': ['statuscode', 'contentType', 'schema'],
} as const;

const synonyms: Readonly<Record<string, readonly string[]>> = {
  specification: ['version'],
  fulfillments: ['steps'],
  triggers: ['on', 'schedule', 'schedules', 'timer', 'timers', 'every'],
  mappings: ['models'],
  if: ['when', 'condition'],
  exceptions: ['errors', 'throws'],
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
  retry: ['retries', 'retrypolicy', 'retryconfig'],
  times: ['count', 'attempts', 'retries', 'maxattempts', 'maxretries', 'limit'],
  wait: ['delay', 'interval', 'backoff', 'pause', 'initialdelay'],
  tokenUrl: ['tokenuri', 'tokenendpoint', 'accesstokenurl', 'accesstokenuri'],
  clientId: ['client'],
  clientAuth: ['authmethod', 'tokenendpointauthmethod', 'clientauthenticationmethod', 'authstyle'],
  order: ['orderby', 'sort', 'sorting', 'sortby'],
  page: ['paging', 'pagination', 'cursor'],
  by: ['sort', 'param', 'parameter'],
  allow: ['allowed', 'orders', 'columns'],
  after: ['cursor', 'token', 'next', 'from'],
  oauth2: ['oauth', 'clientcredentials'],
  perSecond: ['rps', 'rate', 'requestspersecond'],
  atOnce: ['concurrency', 'maxconcurrent', 'parallel', 'maxconnections'],
  limit: ['ratelimit', 'throttle'],
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

/** The field that somebody meant who wrote `field`; undefined when none is near. */
export function meantField(field: string, known: readonly string[]): string | undefined {
  const near = nearest(field, known);
  if (near !== undefined) return near;
  const wanted = field.toLowerCase().replaceAll(/[\s_]/g, '');
  return known.find(
    (name) => synonyms[name]?.includes(wanted) === true || name.toLowerCase() === wanted.replaceAll('-', ''),
  );
}

/** Whether most names of a map, `own` among them, are fields of one resource: then `own` can have no other name. */
export function areFields(names: Iterable<string>, own: string): boolean {
  const written = [...names];
  return Object.values(resourceFields).some(
    (fields: readonly string[]) =>
      fields.includes(own) && written.filter((name) => fields.includes(name)).length * 2 > written.length,
  );
}

/** The resources that have the field, as they are called in a sentence. */
export function resourcesWith(field: string): string[] {
  return Object.entries(resourceFields).flatMap(([resource, fields]: [string, readonly string[]]) =>
    fields.includes(field) ? [resource] : [],
  );
}

/** The types of fulfillments or datasources that have the field, where `fields` are those of another type. */
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
  db: ['database', 'sql', 'jdbc', 'postgres', 'postgresql', 'mysql', 'mariadb'],
  rest: ['http', 'https', 'api'],
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

/** The word that somebody meant who wrote `written`; undefined when none is near. */
export function meantWord<Word extends string>(written: string, words: readonly Word[]): Word | undefined {
  const wanted = written.toLowerCase();
  const meant = nearest(written, words);
  return words.find((word) => word === meant || wordSynonyms[word]?.includes(wanted) === true);
}

/** How a field may be written, for hints; by the first word of the resource where it differs. */
const examples: Readonly<Record<string, string>> = {
  operations: "'GET /news/{id}': …",
  datasources: 'newsdb: …',
  fulfillments: '- name: news',
  name: 'name: news',
  type: 'type: READ',
  'Datasource type': 'type: db or type: rest',
  'Authentication type': 'type: basicauth',
  datasource: 'datasource: newsdb',
  instructions: '- query: SELECT id, title FROM news',
  queries: '- query: SELECT id, title FROM news',
  loop: 'loop: VALUE(news, $)',
  operationName: 'operationName: GET /news/{id}',
  function: 'function: priceOf',
  input: "input: { lines: 'VALUE(lines, $)' }",
  returns: 'returns: Price',
  'A trigger name': 'name: daily',
  'A response name': 'name: ok',
  'A test name': 'name: the first news',
  parameters: 'id: VALUE(news, $.id)',
  if: 'if: SIZE(VALUE(news, $)) == INTEGER(0)',
  statuscode: 'statuscode: 200',
  'An statuscode': 'statuscode: 404',
  message: 'message: Not found',
  responses: '- name: ok',
  triggers: '- name: daily',
  default: 'default: true',
  cron: "cron: '0 0 3 * * *'",
  url: 'url: https://api.example.com/news',
  'Datasource url': 'url: jdbc:postgresql://localhost:5432/news',
  'rest url': 'url: https://api.example.com',
  httpType: 'httpType: GET',
  header: "- 'Accept: application/json'",
  query: 'query: SELECT id, title FROM news',
  schema: "schema: { title: 'VALUE(news, $.title)' }",
  contentType: 'contentType: json',
  multipart: 'file: MULTIPART_FILE(file)',
  onFailure: 'onFailure: continue',
  retry: 'retry: { times: 3 }',
  times: 'times: 3',
  on: 'on: [429, 503, timeout]',
  wait: 'wait: 0.5',
  maxWait: 'maxWait: 30',
  pages: 'pages: { next: link, max: 50 }',
  next: 'next: link',
  items: 'items: $.data',
  "'pages' max": 'max: 50',
  oauth2:
    "oauth2: { tokenUrl: https://id.example.com/token, clientId: shop, clientSecret: '${CLIENT_SECRET}' }",
  tokenUrl: 'tokenUrl: https://id.example.com/token',
  clientId: 'clientId: ${CLIENT_ID}',
  clientSecret: 'clientSecret: ${CLIENT_SECRET}',
  scope: 'scope: orders',
  "'oauth2' parameters": 'audience: https://api.example.com',
  clientAuth: 'clientAuth: body',
  signature: "signature: { scheme: standard-webhooks, secret: '${WEBHOOK_SECRET}' }",
  scheme: 'scheme: standard-webhooks',
  secret: 'secret: ${WEBHOOK_SECRET}',
  limit: 'limit: { perSecond: 10, atOnce: 4 }',
  perSecond: 'perSecond: 10',
  atOnce: 'atOnce: 4',
  idempotencyKey: 'idempotencyKey: VALUE(order, $.id)',
  deliver: 'deliver: afterCommit',
  key: 'key: VALUE(order, $.id)',
  outbox: 'outbox: shopdb',
  user: 'user: ${DB_USER}',
  password: 'password: ${DB_PASSWORD}',
  param: 'param: PARAM(id)',
  'Authentication user': 'user: ${ADMIN_USER}',
  'Authentication password': 'password: ${ADMIN_PASSWORD}',
  pool: 'pool: { min: 1, max: 10 }',
  context: 'app.tenant: CALLER($.tenant)',
  role: 'role: app_user',
  timeout: 'timeout: 30',
  concurrency: 'concurrency: 4',
  debug: 'debug: true',
  minimal: 'minimal: true',
  transaction: 'transaction: true',
  body: 'contentType: json',
  mappings: 'News: { id: news.id }',
  "'sql' parameters": '- param: PARAM(id)',
  'An parameters': '- param: PARAM(id)',
  sql: 'sql: { query: SELECT title FROM news WHERE id = ?, parameters: [{ param: PARAM(id) }] }',
  settings: 'settings: { debug: true }',
  licence: 'licence: ${LICENCE}',
  authentications: 'admin: { type: basicauth, … }',
  include: 'include: [operations/*.yaml]',
  'Operation authentications': 'authentications: [admin]',
  scopes: "scopes: ['orders:write']",
  issuer: 'issuer: https://id.example.com',
  audience: 'audience: orders',
  jwks: 'jwks: https://id.example.com/keys',
  'signature scheme': 'scheme: github',
  secrets: "secrets: ['${WEBHOOK_SECRET}']",
  exceptions: '- if: SIZE(VALUE(news, $)) == INTEGER(0)',
  request: 'request: { url: https://api.example.com/news, httpType: GET }',
  driver: 'driver: pg',
  index: 'index: VALUE(@, $.id)',
  "'sql' query": 'query: SELECT title FROM news WHERE id = ?',
  min: 'min: 1',
  max: 'max: 10',
  timezone: 'timezone: Europe/Berlin',
};

const oneFulfillment =
  '[{ name: news, type: READ, datasource: newsdb, instructions: [{ query: SELECT title FROM news }] }]';
const oneResponse = '[{ name: ok, default: true, statuscode: 200 }]';

/** Fields that hold lists or maps, written in one line. */
const inOneLine: Readonly<Record<string, string>> = {
  operations: `{ 'GET /news': { fulfillments: ${oneFulfillment}, responses: ${oneResponse} } }`,
  datasources: '{ newsdb: { type: db, url: jdbc:postgresql://localhost:5432/news } }',
  authentications: "{ admin: { type: basicauth, user: '${ADMIN_USER}', password: '${ADMIN_PASSWORD}' } }",
  fulfillments: oneFulfillment,
  instructions: '[{ query: SELECT title FROM news }]',
  queries: '[{ query: SELECT title FROM news }]',
  responses: oneResponse,
  exceptions: "[{ if: 'SIZE(VALUE(news, $)) == INTEGER(0)', statuscode: 404, message: Not found }]",
  triggers: "[{ name: daily, cron: '0 0 3 * * *' }]",
  header: "['Accept: application/json']",
  parameters: "{ id: 'VALUE(news, $.id)' }",
  "'sql' parameters": '[{ param: PARAM(id) }]',
  'An parameters': '[{ param: PARAM(id) }]',
  multipart: '{ file: MULTIPART_FILE(file) }',
  context: "{ app.tenant: 'CALLER($.tenant)' }",
  body: "{ contentType: json, schema: { title: 'VALUE(news, $.title)' } }",
  mappings: '{ News: { id: news.id } }',
};

/** A field as it may be written; undefined where nothing general can be shown. */
export function exampleOf(resource: string, field: string, type?: string): string | undefined {
  return ownIn(examples, resource, field, type);
}

/** The value that a table has for the field of this type or resource (`'sql' parameters`), else for the field of any (`parameters`). */
function ownIn(
  table: Readonly<Record<string, string>>,
  resource: string,
  field: string,
  type?: string,
): string | undefined {
  const owners = [type ?? '', resource, resource.split(' ')[0] ?? ''];
  const own = owners.find((owner) => table[`${owner} ${field}`] !== undefined);
  return table[own === undefined ? field : `${own} ${field}`];
}

/** The fields as they may be written, each in one line. */
export function examplesOf(resource: string, fields: readonly string[], type?: string): string[] {
  return fields.map((field) => {
    const example = exampleOf(resource, field, type) ?? field;
    if (example.startsWith(`${field}:`)) return example;
    return `${field}: ${ownIn(inOneLine, resource, field, type) ?? example}`;
  });
}
