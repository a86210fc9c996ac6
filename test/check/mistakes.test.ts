/** Mistakes that people make in a right configuration: each has one message, and what `--fix` writes against it compiles. */
import { describe, expect, test } from 'vitest';
import { checkSource } from '../../compiler/compile.js';
import { applySafeFixes } from '../../compiler/tools/commands/fix-file.js';
import type { Diagnostic } from '../../compiler/read/diagnostics/diagnostic.js';

const right = `specification: '1.0'
operations:
  find key:
    fulfillments:
      - name: key
        type: READ
        datasource: db
        instructions: [{ query: 'SELECT owner FROM key WHERE hash = :[PARAM(key)]' }]
        exceptions: [{ if: 'SIZE(VALUE(key, $)) == INTEGER(0)', statuscode: 401, message: Unknown }]
    responses: [{ name: ok, default: true, statuscode: 200, schema: { sub: 'VALUE(key, $.owner)' } }]
  GET /orders:
    authentications: [users, { name: keys, optional: true }]
    fulfillments:
      - name: orders
        type: READ
        datasource: db
        instructions: [{ query: 'SELECT id, state FROM orders' }]
        order: { by: QUERY(sort), allow: { up: id, down: id DESC }, default: up, key: id }
        page: { limit: QUERY(limit), max: 50, after: QUERY(after) }
    responses:
      - name: ok
        default: true
        statuscode: 200
        etag: true
        schema: { list: 'VALUE(orders, $)', item: { id: 'VALUE(@, $.id)', state: 'VALUE(@, $.state)' } }
  POST /orders:
    authentications: [users]
    transaction: true
    exceptions: [{ if: 'BODY($.state) == NULL()', statuscode: 400, message: state is missing, code: missing }]
    fulfillments:
      - name: made
        type: UPDATE
        datasource: db
        instructions: [{ query: 'INSERT INTO orders (state) VALUES (:[BODY($.state)]) RETURNING id' }]
      - name: told
        type: UPDATE
        datasource: shop
        instructions:
          - request:
              url: /told/:[VALUE(made, $.id)]
              httpType: POST
              body: { contentType: json, schema: { id: 'VALUE(made, $.id)' } }
              deliver: afterCommit
              key: VALUE(made, $.id)
    responses:
      - { name: ok, default: true, statuscode: 201, header: ['Location: /orders/:[VALUE(made, $.id)]'], schema: { id: 'VALUE(made, $.id)' } }
  GET /rates:
    authentications: []
    fulfillments:
      - name: rates
        type: READ
        datasource: shop
        onFailure: continue
        instructions: [{ request: { url: /rates, httpType: GET, retry: { times: 2, wait: 0.5 }, pages: { next: link, max: 5 } } }]
    responses:
      - { name: late, default: false, if: FAILURE(rates) == TEXT(timeout), statuscode: 504 }
      - { name: ok, default: true, statuscode: 200, fileName: TEXT(rates.json), schema: { rates: 'VALUE(rates, $)' } }
datasources:
  db: { type: db, url: 'jdbc:postgresql://localhost/shop', user: shop, password: '\${DB_PASSWORD}' }
  shop: { type: rest, url: 'https://shop.example.com', outbox: db, timeout: 5, limit: { perSecond: 5 } }
authentications:
  users: { type: jwt, issuer: 'https://id.example.com', audience: shop, jwks: 'https://id.example.com/keys' }
  keys: { type: apikey, header: X-Key, operation: find key }
settings: { errors: problem, basePath: /api }
`;

/** What is written, what somebody writes instead, and the code of the only message. */
const mistakes: readonly (readonly [right: string, wrong: string, code: string])[] = [
  ['type: jwt,', 'type: jtw,', 'unknown-word'],
  ['issuer: ', 'isuer: ', 'unknown-field'],
  ['audience: shop, ', 'audience: shop, secret: abc, ', 'unknown-field'],
  ['outbox: db', 'outbox: dbs', 'outbox-not-database'],
  ['outbox: db, ', "outbox: db, context: { app.tenant: 'CALLER($.sub)' }, ", 'field-of-other-type'],
  ['deliver: afterCommit', 'deliver: true', 'unknown-word'],
  ['contentType: json', 'contentType: csv', 'unknown-word'],
  ['default: up, key', 'default: newest, key', 'unknown-order'],
  ['by: QUERY(sort)', 'by: sort', 'bare-text'],
  ['etag: true', 'etag: version', 'bare-text'],
  ['fileName: TEXT(rates.json)', 'fileName: rates.json', 'wrong-syntax'],
  ['FAILURE(rates) == TEXT(timeout)', 'FAILURE(rates) == TEXT(time-out)', 'never-true'],
  ['FAILURE(rates) == TEXT(timeout)', 'FAILURE(rate) == TEXT(timeout)', 'unknown-fulfillment'],
  ['onFailure: continue', 'onFailure: ignore', 'unknown-word'],
  ['retry: { times: 2, wait: 0.5 }', 'retry: 2', 'wrong-kind'],
  ['next: link', 'next: Link', 'wrong-kind'],
  ['pages: { next: link, max: 5 }', 'pages: { next: link }', 'missing-field'],
  ['httpType: GET', 'method: GET', 'unknown-field'],
  ['timeout: 5,', 'timeout: 5000,', 'long-timeout'],
  ['limit: { perSecond: 5 }', 'limit: 5', 'wrong-kind'],
  ['limit: { perSecond: 5 }', 'limit: { perSec: 5 }', 'unknown-field'],
  ['errors: problem', 'errors: problems', 'unknown-word'],
  ['basePath: /api', 'basePath: api', 'wrong-kind'],
  ['statuscode: 400', 'status: 400', 'unknown-field'],
  ['statuscode: 400', 'statuscode: 4000', 'wrong-kind'],
  ['code: missing', 'kode: missing', 'unknown-field'],
  [
    "header: ['Location: /orders/:[VALUE(made, $.id)]']",
    "header: { Location: '/orders/:[VALUE(made, $.id)]' }",
    'wrong-kind',
  ],
  ['BODY($.state) == NULL()', 'BODY($.state) = NULL()', 'wrong-operator'],
  ['BODY($.state) == NULL()', 'BODY(state) == NULL()', 'path-without-root'],
  ['BODY($.state) == NULL()', 'BODY($.state) == null', 'wrong-syntax'],
  ['BODY($.state) == NULL()', 'SIZE(VALUE(made, $)) == INTEGER(0)', 'not-yet-run'],
  ['VALUE(@, $.state)', 'VALUE(@, state)', 'path-without-root'],
  ['VALUES (:[BODY($.state)])', 'VALUES (:state)', 'sql-named-parameter'],
  ['SELECT id, state FROM orders', 'SELECT id, state FROM orders ORDER BY id', 'list-statement'],
  ['name: keys, optional: true', 'name: key, optional: true', 'unknown-authentication'],
  ['optional: true', 'optinal: true', 'unknown-field'],
  ['operation: find key', 'operation: find keys', 'key-operation'],
  ['  find key:', '  find kay:', 'key-operation'],
  ['datasource: shop\n        onFailure', 'datasource: shops\n        onFailure', 'unknown-datasource'],
  ["password: '${DB_PASSWORD}'", "pasword: '${DB_PASSWORD}'", 'unknown-field'],
  ['jdbc:postgresql://localhost/shop', 'postgres://localhost/shop', 'wrong-url'],
  ['key: VALUE(made, $.id)', 'key: VALUE(mad, $.id)', 'unknown-fulfillment'],
  ['key: VALUE(made, $.id)', 'key: QUERY(k) || UUID()', 'or-as-default'],
  ['statuscode: 504', 'statuscode: 504, default: true', 'duplicate-key'],
  ['name: ok\n        default: true', 'name: ok\n        default: false', 'missing-default-response'],
  ['GET /rates:', 'GET rates:', 'near-endpoint'],
  ['POST /orders:', 'PSOT /orders:', 'near-endpoint'],
  ["specification: '1.0'", 'specification: 1.0', 'unquoted-specification'],
  ["specification: '1.0'", "version: '1.0'", 'unknown-field'],
  ['allow: { up: id, down: id DESC }', 'allow: [id]', 'wrong-kind'],
  ['key: id }', 'key: ids DESCENDING }', 'wrong-kind'],
];

const codesOf = (diagnostics: readonly Diagnostic[]): string[] => diagnostics.map(({ code }) => code);

function diagnosticsOf(text: string): readonly Diagnostic[] {
  return checkSource({ config: { path: 'config.yaml', text } }).diagnostics.filter(
    ({ code }) => code !== 'unchecked-sql',
  );
}

test('the configuration is right', () => {
  expect(diagnosticsOf(right)).toEqual([]);
});

describe.each(mistakes)('%s → %s', (before, after, code) => {
  const text = right.replace(before, () => after);

  test('has one message', () => {
    expect(right.split(before)).toHaveLength(2);
    expect(codesOf(diagnosticsOf(text))).toEqual([code]);
  });

  test('has a fix that compiles, or none', async () => {
    const { texts } = await applySafeFixes((changed) => {
      const config = { path: 'config.yaml', text: changed.get('config.yaml') ?? text };
      return Promise.resolve({
        diagnostics: diagnosticsOf(config.text),
        files: new Map([[config.path, config]]),
      });
    });
    const fixed = texts.get('config.yaml') ?? right;
    expect(diagnosticsOf(fixed).filter(({ severity }) => severity === 'error')).toEqual([]);
  });
});
