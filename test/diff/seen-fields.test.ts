/** Every field of a configuration either changes the contract with clients, or has a documented reason why clients do not see it. */
import { expect, test } from 'vitest';
import { checkSource } from '../../compiler/compile.js';
import { fieldTable, type Kind } from '../../compiler/read/config/field-table.js';
import { generatedDescription } from '../../compiler/analyze/describe/read-generated.js';
import { compareServices, type ComparedService } from '../../compiler/tools/diff/compare-services.js';
import { ServiceView } from '../../compiler/tools/explain/service-view.js';

type Fields = Readonly<Record<string, unknown>>;

/** Breaking changes begin with `!`. */
interface Seen {
  readonly before: Fields;
  readonly after: Fields;
  readonly changes: readonly string[];
}

/** The reason why clients do not see the field. */
type Unseen = string;

const seen = (before: Fields, after: Fields, ...changes: string[]): Seen => ({ before, after, changes });

const sentInstead = 'what is sent to databases and third parties is compared as that';
const results = 'it decides what a result is: the types of responses are compared';
const conditions = 'it decides when, not what: everything that can be sent is compared';
const deployment = 'those who deploy the service see it';

const token = { type: 'jwt', issuer: 'https://a.example', audience: 'shop', key: 'k'.repeat(40) };
const key = { type: 'apikey', header: 'X-Key', keys: { acme: 'a'.repeat(40) } };
const decided = { ...token, operation: 'find caller' };
const bearer = { type: 'apikey', scheme: 'Bearer', operation: 'find key' };
const account = { type: 'basicauth', user: 'u', password: 'p' };
const webhook = { type: 'signature', scheme: 'github', secrets: ['s'.repeat(40)] };
const order = { by: 'QUERY(sort)', allow: { up: 'id', down: 'id DESC' }, default: 'up', key: 'id' };
const filter = { from: 'QUERY()', allow: { id: { column: 'id', type: 'integer' } } };
const page = { limit: 'QUERY(limit)', max: 100, after: 'QUERY(after)' };
const list = { name: 'l', type: 'READ', datasource: 'db', instructions: [{ query: 'SELECT id FROM t' }] };
const insert = {
  ...list,
  ...{
    name: 'c',
    type: 'UPDATE',
    instructions: [{ query: 'INSERT INTO t VALUES (:[BODY($.id)], :[BODY($.number)])' }],
  },
};
const limit = { by: 'QUERY(q)', times: 5, within: '1m' };
const ok = { name: 'ok', default: true, statuscode: 200 };
const stop = { if: 'QUERY(x) == NULL()', statuscode: 409, message: 'no' };
const csv = { schema: { list: 'VALUE(l, $)', item: { id: 'VALUE(@, $.id)' } }, contentType: 'text/csv' };
const signed = { operations: { 'GET /a': { authentications: ['one'], responses: [ok] } } };
const whole = 'the whole service: ';
const it = 'GET /a: ';

const table: Readonly<Record<Kind, Readonly<Record<string, Seen | Unseen>>>> = {
  configuration: {
    specification: 'there is one version',
    include: 'operations are compared, wherever they are written',
    operations: seen(
      { operations: { 'GET /a': { responses: [ok] }, 'GET /b': { responses: [ok] } } },
      { operations: { 'GET /a': { responses: [ok] } } },
      '! GET /b: it was removed',
    ),
    datasources: sentInstead,
    authentications: seen(
      { authentications: { one: key } },
      { authentications: {} },
      `${it}it is open to anyone now; it asked for credentials of one`,
    ),
    functions: seen(
      { functions: { slug: { input: [{ type: 'string' }], returns: { type: 'string' } } } },
      { functions: { slug: { input: [{ type: 'integer' }], returns: { type: 'string' } } } },
      `! ${whole}src/code/slug.ts gets another type: argument 1 is integer now; it was string`,
    ),
    mcp: 'its fields are',
    settings: 'its fields are',
  },
  mcp: {
    path: seen(
      { path: '/mcp' },
      { path: '/tools' },
      `! ${whole}the endpoint of MCP clients is /tools now; it was /mcp`,
    ),
    url: seen(
      {},
      { url: 'https://news.example.com/mcp' },
      `${whole}the public URL of the endpoint of MCP clients is different now`,
    ),
    instructions: seen(
      {},
      { instructions: 'Tools' },
      `${whole}the instructions for MCP clients are different now`,
    ),
  },
  tool: {
    name: seen(
      { name: 'old', description: 'A tool' },
      { name: 'new', description: 'A tool' },
      `! ${it}MCP clients call it as new now; it was old`,
    ),
    description: seen(
      { name: 'a', description: 'A tool' },
      { name: 'a', description: 'A better tool' },
      `${it}the description of the tool a is different now`,
    ),
    secret: 'without it, such a configuration does not compile',
  },
  function: {
    input: seen(
      { input: [{ type: 'string' }], returns: { type: 'string' } },
      { returns: { type: 'string' } },
      `! ${whole}src/code/slug.ts gets 0 arguments now; it got 1`,
    ),
    returns: seen(
      { returns: { type: 'string' } },
      { returns: { type: 'integer' } },
      `! ${whole}src/code/slug.ts must return another type: result must be integer now, not string`,
    ),
  },
  operation: {
    exceptions: seen(
      {},
      { exceptions: [stop] },
      `${it}query parameter 'x' is new`,
      `${it}the status 409 is new`,
    ),
    fulfillments: sentInstead,
    responses: seen(
      { responses: [ok] },
      { responses: [{ ...ok, name: 'made', statuscode: 201 }] },
      `! ${it}the status 200 was removed`,
      `${it}the status 201 is new`,
    ),
    triggers: 'timers are compared, and are not for clients',
    mappings: results,
    transaction: sentInstead,
    together: 'the time of requests to third parties is not part of the contract',
    request: seen(
      {},
      { request: 'text' },
      `! ${it}pages of other origins are refused now, except those of CORS_ORIGIN`,
      `! ${it}bodies that are JSON are not accepted now`,
      `${it}bodies that are text/plain are accepted now`,
    ),
    contentTypes: seen(
      { contentTypes: ['application/a+json', 'application/b+json'] },
      { contentTypes: ['application/a+json'] },
      `! ${it}bodies that are application/b+json are not accepted now`,
    ),
    limits: seen(
      {},
      { limits: [limit] },
      `! ${it}it accepts at most 5 requests in 1m by QUERY(q) now`,
      `${it}query parameter 'q' is new`,
    ),
    idempotency: 'its fields are',
    authentications: seen(
      { authentications: ['webhooks'] },
      { authentications: [] },
      `${it}it is open to anyone now; it asked for credentials of webhooks`,
    ),
    tool: 'its fields are',
  },
  idempotency: {
    key: seen(
      { key: 'BODY($.id)' },
      { key: 'BODY($.number)' },
      `! POST /a: the idempotency key is read from BODY($.number) now; it was read from BODY($.id)`,
    ),
    required: seen(
      { key: 'BODY($.id)' },
      { key: 'BODY($.id)', required: true },
      `! POST /a: requests without the key BODY($.id) are refused now`,
    ),
    keep: seen(
      { key: 'BODY($.id)', keep: '2d' },
      { key: 'BODY($.id)', keep: '36h' },
      `! POST /a: idempotency keys are kept for 36h now; it was 2d`,
    ),
  },
  fulfillment: {
    ...{ name: 'it is read in the configuration alone', type: sentInstead, if: conditions },
    exceptions: seen(
      { exceptions: [] },
      { exceptions: [stop] },
      `${it}query parameter 'x' is new`,
      `${it}the status 409 is new`,
    ),
    ...{ datasource: sentInstead, instructions: sentInstead, loopbreak: conditions, index: results },
    ...{ onFailure: sentInstead, loop: sentInstead, fulfillments: sentInstead },
    ...{ concurrency: 'the order of effects of a loop is not part of the contract' },
    ...{ together: 'the time of requests to third parties is not part of the contract' },
    ...{ operationName: sentInstead, parameters: sentInstead, function: sentInstead, input: sentInstead },
    ...{ deliver: sentInstead, outbox: sentInstead, times: sentInstead, within: sentInstead },
    ...{ returns: results, queries: sentInstead, join: results, schema: results },
    order: 'its fields are',
    page: seen(
      { order },
      { order, page },
      `${it}query parameter 'limit' is new`,
      `${it}query parameter 'after' is new`,
      `! ${it}a response has at most 100 rows now`,
    ),
    filter: 'its fields are',
  },
  ...{ instruction: unseen('instruction', sentInstead), query: unseen('query', sentInstead) },
  ...{ sql: unseen('sql', sentInstead), parameter: unseen('parameter', sentInstead) },
  ...{ message: unseen('message', sentInstead) },
  ...{ request: unseen('request', sentInstead), pages: unseen('pages', sentInstead) },
  ...{ oauth2: unseen('oauth2', sentInstead), signature: unseen('signature', sentInstead) },
  ...{ requestSignature: unseen('requestSignature', sentInstead), limit: unseen('limit', sentInstead) },
  ...{ retry: unseen('retry', sentInstead), body: unseen('body', sentInstead) },
  fileType: {
    value: results,
    allowed: seen(
      { value: 'QUERY(type)', allowed: ['image/png'] },
      { value: 'QUERY(type)', allowed: ['image/gif'] },
      `! ${it}response 200 sends image/png as application/octet-stream now`,
      `${it}response 200 can be image/gif now`,
    ),
  },
  ...{ trigger: unseen('trigger', 'timers are compared, and are not for clients') },
  ...{ datasource: unseen('datasource', sentInstead), pool: unseen('pool', deployment) },
  requestLimit: {
    by: seen(
      { limits: [limit] },
      { limits: [{ ...limit, by: 'ADDRESS()' }] },
      `! ${it}it accepts at most 5 requests in 1m by ADDRESS() now`,
      `! ${it}query parameter 'q' was removed: it is no longer read`,
      `${it}it has no limit of requests by QUERY(q) now`,
    ),
    times: seen(
      { limits: [limit] },
      { limits: [{ ...limit, times: 4 }] },
      `! ${it}it accepts at most 4 requests in 1m by QUERY(q) now; it was 5 in 1m`,
    ),
    within: seen(
      { limits: [limit] },
      { limits: [{ ...limit, within: '30s' }] },
      `${it}it accepts at most 5 requests in 30s by QUERY(q) now; it was 5 in 1m`,
    ),
    count: seen(
      { limits: [{ ...limit, count: 'refused' }] },
      { limits: [limit] },
      `! ${it}it accepts at most 5 requests in 1m by QUERY(q) now`,
      `${it}it has no limit of refused requests by QUERY(q) now`,
    ),
    store: 'where requests are counted is not part of the contract',
  },
  order: {
    by: seen(
      order,
      { ...order, by: 'QUERY(order)' },
      `! ${it}query parameter 'sort' was removed: it is no longer read`,
      `${it}query parameter 'order' is new`,
    ),
    allow: seen(
      order,
      { ...order, allow: { up: 'id' } },
      `! ${it}query parameter 'sort' does not accept "down" now`,
      `! ${it}the order 'down' was removed`,
    ),
    default: seen(
      order,
      { ...order, default: 'down' },
      `${it}the order is 'down' now if a request names none`,
    ),
    key: 'rows that are equal in an order have no order that clients may rely on',
  },
  page: {
    limit: seen(
      page,
      { ...page, limit: 'QUERY(size)' },
      `! ${it}query parameter 'limit' was removed: it is no longer read`,
      `${it}query parameter 'size' is new`,
    ),
    max: seen(
      page,
      { ...page, max: 50 },
      `! ${it}query parameter 'limit' has the maximum 50 now; it was 100`,
      `! ${it}a response has at most 50 rows now`,
    ),
    after: seen(
      page,
      { ...page, after: 'QUERY(next)' },
      `! ${it}query parameter 'after' was removed: it is no longer read`,
      `${it}query parameter 'next' is new`,
    ),
    number: seen(
      { ...page, number: 'QUERY(page)' },
      { ...page, number: 'QUERY(p)' },
      `! ${it}query parameter 'page' was removed: it is no longer read`,
      `${it}query parameter 'p' is new`,
    ),
    offset: seen(
      { ...page, offset: 'QUERY(skip)' },
      { ...page, offset: 'QUERY(start)' },
      `! ${it}query parameter 'skip' was removed: it is no longer read`,
      `${it}query parameter 'start' is new`,
    ),
    maxOffset: seen(
      { ...page, offset: 'QUERY(skip)' },
      { ...page, offset: 'QUERY(skip)', maxOffset: 500 },
      `! ${it}query parameter 'skip' has the maximum 500 now; it was 10000`,
      `! ${it}a page can have at most 500 rows before it now`,
    ),
    maxTotal: 'it decides when the number of rows is null: the types of responses are compared',
    invalid: seen(
      { ...page, invalid: 'clamp' },
      page,
      `! ${it}query parameter 'limit' must be integer now; it could be anything`,
      `! ${it}an invalid page number or size has status 400 now, instead of the nearest page`,
    ),
  },
  filter: {
    from: seen(
      filter,
      { ...filter, from: 'QUERY(where)' },
      `! ${it}query parameter 'id' was removed: it is no longer read`,
      `${it}query parameter 'where[id]' is new`,
    ),
    allow: seen(
      filter,
      { ...filter, allow: { number: filter.allow.id } },
      `! ${it}query parameter 'id' was removed: it is no longer read`,
      `${it}query parameter 'number' is new`,
      `! ${it}the filter id was removed`,
      `${it}the filter number is new`,
    ),
  },
  filterName: {
    column: 'what a condition compares is not visible',
    operators: seen(
      { column: 'id', type: 'integer', operators: ['eq', 'gt'] },
      { column: 'id', type: 'integer' },
      `! ${it}query parameter 'id[gt]' was removed: it is no longer read`,
      `! ${it}the filter id[gt] was removed`,
    ),
    type: seen(
      { column: 'id', type: 'string' },
      { column: 'id', type: 'integer' },
      `! ${it}query parameter 'id' must be integer now, not string`,
    ),
    plain: seen(
      { column: 'id', type: 'integer', operators: ['gt'] },
      { column: 'id', type: 'integer', operators: ['gt'], plain: true },
      `! ${it}query parameter 'id[gt]' was removed: it is no longer read`,
      `${it}query parameter 'id' is new`,
      `! ${it}the filter id[gt] was removed`,
      `${it}the filter id is new`,
    ),
    separator: seen(
      { column: 'id', type: 'integer', operators: ['in'] },
      { column: 'id', type: 'integer', operators: ['in'], separator: ',' },
      `! ${it}the filter id[in] was removed`,
      `${it}the filter id[in] with ',' is new`,
    ),
  },
  exception: {
    if: conditions,
    constraint: conditions,
    statuscode: seen(
      stop,
      { ...stop, statuscode: 410 },
      `! ${it}the status 409 was removed`,
      `${it}the status 410 is new`,
    ),
    message: 'messages are for people',
    header: seen(
      { ...stop, header: ['Retry-After: 60'] },
      stop,
      `! ${it}error 409 no longer has the header 'retry-after'`,
    ),
    code: seen(
      { ...stop, code: 'taken', schema: { code: 'ERROR($.code)' } },
      { ...stop, code: 'sold', schema: { code: 'ERROR($.code)' } },
      `! ${it}error 409 has the code 'sold' now; it had 'taken'`,
    ),
    schema: seen(
      { ...stop, schema: { error: 'ERROR($.message)', more: 'INTEGER(1)' } },
      { ...stop, schema: { error: 'ERROR($.message)' } },
      `! ${it}the body of error 409.more was removed`,
    ),
  },
  response: {
    name: 'it is for people',
    default: conditions,
    if: conditions,
    statuscode: seen(
      ok,
      { ...ok, statuscode: 203 },
      `! ${it}response 'ok' has the status 203 now; it had 200`,
    ),
    header: seen({ ...ok, header: ['X-A: 1'] }, ok, `! ${it}response 200 no longer has the header 'x-a'`),
    contentType: seen(
      { ...ok, schema: 'TEXT(a)' },
      { ...ok, schema: 'TEXT(a)', contentType: 'text/plain' },
      `! ${it}response 200 is text/plain; charset=utf-8 now; it was application/json`,
    ),
    schema: seen({ ...ok, schema: { a: 'TEXT(a)' } }, ok, `! ${it}response 200 has no body now`),
    fileName: seen(
      { ...ok, fileName: 'TEXT(a.json)', schema: { a: 'TEXT(a)' } },
      { ...ok, schema: { a: 'TEXT(a)' } },
      `! ${it}response 200 no longer has the header 'content-disposition'`,
    ),
    etag: seen(
      { ...ok, etag: true, schema: { a: 'TEXT(a)' } },
      { ...ok, schema: { a: 'TEXT(a)' } },
      `! ${it}response 200 no longer has the header 'etag'`,
    ),
    spreadsheet: seen(
      { ...ok, ...csv },
      { ...ok, ...csv, spreadsheet: true },
      `! ${it}response 200 begins with a byte order mark now, and has apostrophes before formulas`,
    ),
    omitNull: seen(
      { ...ok, schema: { a: 'TEXT(a)', b: 'PARAM(b)' } },
      { ...ok, schema: { a: 'TEXT(a)', b: 'PARAM(b)' }, omitNull: true },
      `! ${it}response 200.b may be missing now`,
    ),
    omitEmpty: seen(
      { ...ok, schema: { a: 'TEXT(a)', b: { c: 'UUID()' } } },
      { ...ok, schema: { a: 'TEXT(a)', b: { c: 'UUID()' } }, omitEmpty: true },
      `! ${it}response 200.a may be missing now`,
      `! ${it}response 200.b.c may be missing now`,
    ),
  },
  authentication: {
    type: seen(
      key,
      account,
      `! ${whole}credentials of one: they are a user and a password of HTTP Basic now; they were a key in the header 'x-key'`,
    ),
    limits: seen(
      account,
      { ...account, limits: [{ by: 'PARAM(user)', times: 5, within: '1m' }] },
      `! ${whole}credentials of one: it accepts at most 5 requests in 1m by PARAM(user) now`,
    ),
    default: 'the authentications that operations accept are compared',
    user: seen(account, { ...account, user: 'v' }, `! ${whole}credentials of one: the user has changed`),
    password: seen(
      account,
      { ...account, password: 'q' },
      `! ${whole}credentials of one: the password has changed`,
    ),
    passwordHash: seen(
      { ...account, password: undefined, passwordHash: hash('a') },
      { ...account, password: undefined, passwordHash: hash('b') },
      `! ${whole}credentials of one: the password has changed`,
    ),
    issuer: seen(
      token,
      { ...token, issuer: 'https://b.example' },
      `! ${whole}credentials of one: tokens must have the issuer https://b.example now; it was https://a.example`,
    ),
    audience: seen(
      token,
      { ...token, audience: 'store' },
      `! ${whole}credentials of one: tokens must have the audience store now; it was shop`,
    ),
    expiry: seen(
      { ...decided, expiry: 'none' },
      decided,
      `! ${whole}credentials of one: tokens must have an end now`,
    ),
    issue: seen(
      { ...token, issue: { lifetime: '1h', claims: ['role', 'tenant'] } },
      { ...token, issue: { lifetime: '1h', claims: ['role'] } },
      `! ${whole}credentials of one: issued tokens have no claim 'tenant' now`,
    ),
    jwks: seen(
      { ...token, key: undefined, jwks: 'https://a.example/keys' },
      { ...token, key: undefined, jwks: 'https://b.example/keys' },
      `! ${whole}credentials of one: the address of the keys of tokens has changed`,
    ),
    key: seen(
      token,
      { ...token, key: 'l'.repeat(40) },
      `! ${whole}credentials of one: the key of tokens has changed`,
    ),
    algorithms: seen(
      { ...token, algorithms: ['HS256', 'HS384'] },
      { ...token, algorithms: ['HS256'] },
      `! ${whole}credentials of one: tokens signed by HS384 are not accepted now`,
    ),
    scheme: seen(
      token,
      { ...token, scheme: 'Token' },
      `! ${whole}credentials of one: they are a token after the word 'Token' in the header 'Authorization' now; they were a token after the word 'Bearer' in the header 'Authorization'`,
    ),
    scopesClaim: seen(
      { ...token, scopesClaim: 'a' },
      { ...token, scopesClaim: 'b' },
      `! ${whole}credentials of one: tokens must have the claim for scopes b now; it was a`,
    ),
    header: seen(
      key,
      { ...key, header: 'X-Other' },
      `! ${whole}credentials of one: they are a key in the header 'x-other' now; they were a key in the header 'x-key'`,
    ),
    query: seen(
      key,
      { ...key, header: undefined, query: 'key' },
      `! ${whole}credentials of one: they are a key in the query parameter 'key' now; they were a key in the header 'x-key'`,
    ),
    cookie: seen(
      token,
      { ...token, cookie: 'session' },
      `! ${whole}credentials of one: they are a token in the cookie 'session' now; they were a token after the word 'Bearer' in the header 'Authorization'`,
    ),
    prefix: seen(
      { ...bearer, prefix: 'a_' },
      { ...bearer, prefix: 'b_' },
      `! ${whole}credentials of one: they are a key that begins with 'b_' after the word 'Bearer' in the header 'Authorization' now; they were a key that begins with 'a_' after the word 'Bearer' in the header 'Authorization'`,
    ),
    keys: seen(
      { ...key, keys: { acme: 'a'.repeat(40), shop: 'b'.repeat(40) } },
      { ...key, keys: { acme: 'c'.repeat(40), fair: 'd'.repeat(40) } },
      `! ${whole}credentials of one: the key 'acme' has changed`,
      `! ${whole}credentials of one: the key 'shop' is not accepted now`,
      `${whole}credentials of one: the key 'fair' is accepted now`,
    ),
    operation: seen(
      { ...key, keys: undefined, operation: 'find key' },
      key,
      `! ${whole}credentials of one: keys that an operation found are not accepted now`,
      `${whole}credentials of one: the key 'acme' is accepted now`,
    ),
    secrets: seen(
      { ...webhook, secrets: ['s'.repeat(40), 't'.repeat(40)] },
      webhook,
      `! ${whole}credentials of one: a secret of signatures is not accepted now`,
    ),
  },
  issue: {
    lifetime: seen(
      { lifetime: { short: '1h', long: '2d' } },
      { lifetime: { short: '15m', long: '3d' } },
      `! ${whole}credentials of one: issued tokens of the lifetime 'short' are valid for 900 s now; it was 3600 s`,
      `${whole}credentials of one: issued tokens of the lifetime 'long' are valid for 259200 s now; it was 172800 s`,
    ),
    claims: seen(
      { lifetime: '1h', claims: ['role'] },
      { lifetime: '1h' },
      `! ${whole}credentials of one: issued tokens have no claim 'role' now`,
    ),
    key: 'only the service has the key that signs',
  },
  accepted: {
    name: 'the same credentials under another name are the same for clients',
    scopes: seen(
      { name: 'one' },
      { name: 'one', scopes: ['a:write'] },
      `! ${it}it asks callers of one for a:write now`,
    ),
    optional: seen(
      { name: 'one', optional: true },
      { name: 'one' },
      `! ${it}it asks for credentials now: those of one`,
    ),
  },
  settings: {
    debug: seen(
      { debug: true, apiDocs: true },
      { apiDocs: true },
      `! ${whole}the test page under /docs-ui was removed`,
    ),
    features: 'it has no effect',
    apiDocs: seen({ apiDocs: true }, {}, `! ${whole}the API description under /v3/api-docs was removed`),
    basePath: seen(
      { basePath: '/api/v1' },
      { basePath: '/api/v2' },
      `! ${whole}every URL begins with /api/v2 now; it was /api/v1`,
    ),
    numbers: seen(
      {},
      { numbers: 'string' },
      `! ${whole}responses send every bigint, numeric and decimal as a string now; they were numbers ('numbers: string')`,
    ),
    omitNull: 'responses are compared',
    omitEmpty: 'responses are compared',
    errors: seen(
      {},
      { errors: 'problem' },
      `! ${whole}the body of errors is application/problem+json now; it was application/json`,
      `! ${whole}the body of errors.message was removed`,
      ...['type', 'title', 'status', 'detail', 'requestId', 'code', 'errors'].map(
        (name) => `${whole}the body of errors.${name} is new`,
      ),
    ),
    limits: seen(
      {},
      { limits: [{ ...limit, by: 'ADDRESS()' }] },
      `! ${whole}the service accepts at most 5 requests in 1m by ADDRESS() now`,
    ),
    licence: 'it has no effect',
  },
  errors: {
    statuscode: seen(
      { statuscode: 404, schema: { error: 'ERROR($.message)' } },
      { statuscode: [404, 409], schema: { error: 'ERROR($.message)' } },
      `! ${whole}the body of error 409.message was removed`,
      `${whole}the body of error 409.error is new`,
    ),
    contentType: seen(
      { schema: { error: 'ERROR($.message)' } },
      { contentType: 'application/vnd.api+json', schema: { error: 'ERROR($.message)' } },
      `! ${whole}the body of errors is application/vnd.api+json now; it was application/json`,
    ),
    schema: seen(
      { schema: { error: 'ERROR($.message)', id: 'ERROR($.requestId)' } },
      { schema: { error: 'ERROR($.message)' } },
      `! ${whole}the body of errors.id was removed`,
    ),
  },
};

/** A configuration that contains the fields in a resource of the kind. */
const around: Partial<Record<Kind, (fields: Fields) => Fields>> = {
  configuration: (fields) => fields,
  operation: (operation) => ({
    authentications: { webhooks: webhook },
    operations: { 'GET /a': { authentications: [], responses: [ok], ...operation } },
  }),
  fulfillment: (fields) => read(fields),
  order: (fields) => read({ order: fields }),
  page: (fields) => read({ order, page: fields }),
  filter: (fields) => filtered(fields),
  filterName: (fields) => filtered({ ...filter, allow: { id: fields } }),
  exception: (exception) => ({ operations: { 'GET /a': { exceptions: [exception], responses: [ok] } } }),
  response: (response) => ({ operations: { 'GET /a': { fulfillments: [list], responses: [response] } } }),
  fileType: (contentType) => ({
    operations: { 'GET /a': { responses: [{ ...ok, contentType, schema: 'QUERY(bytes)' }] } },
  }),
  authentication: (one) => ({
    authentications: { one },
    operations: { 'GET /a': { authentications: ['one'], responses: [ok] } },
  }),
  issue: (issue) => ({
    authentications: { one: { ...token, issue } },
    operations: { 'GET /a': { authentications: ['one'], responses: [ok] } },
  }),
  accepted: (accepted) => ({
    authentications: { one: token },
    operations: { 'GET /a': { authentications: [accepted], responses: [ok] } },
  }),
  function: (slug) => ({ functions: { slug } }),
  mcp: (mcp) => ({ mcp, operations: { 'GET /a': { responses: [ok] } } }),
  tool: (tool) => ({ mcp: {}, operations: { 'GET /a': { responses: [ok], tool } } }),
  settings: (settings) => ({ settings }),
  idempotency: (idempotency) => ({
    operations: {
      'POST /a': { transaction: true, idempotency, fulfillments: [insert], responses: [ok] },
    },
  }),
  requestLimit: ({ limits }) => ({ operations: { 'GET /a': { limits, responses: [ok] } } }),
  errors: (form) => ({ settings: { errors: [form] } }),
};

function filtered(filter: Fields): Fields {
  const responses = [{ ...ok, schema: 'VALUE(l, $)' }];
  return { operations: { 'GET /a': { fulfillments: [{ ...list, order, filter }], responses } } };
}

function read(fields: Fields): Fields {
  const responses = [{ ...ok, schema: { a: 'SIZE(VALUE(l, $))' } }];
  return { operations: { 'GET /a': { fulfillments: [{ ...list, ...fields }], responses } } };
}

test('every field of every map is in the table', () => {
  const names = (kinds: Readonly<Record<string, object>>): string[] =>
    Object.entries(kinds)
      .flatMap(([kind, fields]) => Object.keys(fields).map((field) => `${kind}.${field}`))
      .sort();
  expect(names(table)).toEqual(names(fieldTable));
});

const cases = Object.entries(table).flatMap(([kind, fields]) =>
  Object.entries(fields).flatMap(([field, row]) =>
    typeof row === 'string' ? [] : [[`${kind}.${field}`, kind as Kind, row] as const],
  ),
);

test.each(cases)('%s changes the contract', (_, kind, { before, after, changes }) => {
  const wrap = around[kind];
  if (wrap === undefined) throw new Error(`No configuration around '${kind}'.`);
  const [old, now] = [service(wrap(before)), service(wrap(after))];
  const { breaking, compatible } = compareServices(old, now);
  const shown = (list: typeof breaking): string[] =>
    list.map(({ operation, text }) => `${operation ?? 'the whole service'}: ${text}`);
  expect([...shown(breaking).map((text) => `! ${text}`), ...shown(compatible)]).toEqual([
    ...changes.filter((change) => change.startsWith('!')),
    ...changes.filter((change) => !change.startsWith('!')),
  ]);
});

test.each<[string, before: Fields, after: Fields]>([
  [
    'another name of an authentication',
    { authentications: { one: token }, ...signed },
    {
      authentications: { two: token },
      operations: { 'GET /a': { authentications: ['two'], responses: [ok] } },
    },
  ],
  [
    'a prefix of paths as base path',
    { operations: { 'GET /v1/a': { responses: [ok] } } },
    { operations: { 'GET /a': { responses: [ok] } }, settings: { basePath: '/v1' } },
  ],
  [
    'another variable of a key',
    { authentications: { one: { ...key, keys: { acme: '${ACME_KEY}' } } } },
    { authentications: { one: { ...key, keys: { acme: '${KEY_OF_ACME}' } } } },
  ],
  [
    'another variable of a secret',
    { authentications: { one: { ...webhook, secrets: ['${SECRET}'] } }, ...signed },
    { authentications: { one: { ...webhook, secrets: ['${HOOK_SECRET}'] } }, ...signed },
  ],
  [
    'another place of an exception',
    read({ exceptions: [stop] }),
    { operations: { 'GET /a': { exceptions: [stop], ...operationOf(read({})) } } },
  ],
])('clients do not see %s', (_, before, after) => {
  const { breaking, compatible } = compareServices(service(before), service(after));
  expect([...breaking, ...compatible]).toEqual([]);
});

function operationOf(config: Fields): object {
  return (config['operations'] as Record<string, object>)['GET /a'] ?? {};
}

function service(fields: Fields): ComparedService {
  const findKey = { responses: [{ ...ok, schema: { sub: 'PARAM(key)' } }] };
  const config = {
    specification: '1.0',
    ...{ operations: { 'GET /a': { responses: [ok] } }, ...fields },
    datasources: { db: { type: 'db', url: 'jdbc:postgresql://localhost:5432/x', user: 'u', password: 'p' } },
  };
  const findCaller = { responses: [{ ...ok, schema: { sub: 'CALLER($.sub)' } }] };
  const operations = { ...config.operations, 'find key': findKey, 'find caller': findCaller };
  const text = JSON.stringify({ ...config, operations });
  const { service: checked, diagnostics } = checkSource({ config: { path: 'config.yaml', text } });
  if (checked === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return {
    view: new ServiceView(checked),
    generated: generatedDescription(checked.analysis.config),
  };
}

function unseen(kind: Kind, why: Unseen): Readonly<Record<string, Unseen>> {
  return Object.fromEntries(Object.keys(fieldTable[kind]).map((field) => [field, why]));
}

function hash(letter: string): string {
  return `$scrypt$ln=15,r=8,p=1$${letter.repeat(22)}$${letter.repeat(43)}`;
}
