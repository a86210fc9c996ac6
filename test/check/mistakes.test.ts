/** Typical mistakes in a valid configuration: each has one message, and the expected or suggested correction compiles. */
import { describe, expect, test } from 'vitest';
import { DiskCache } from '../../compiler/analyze/database/disk-cache.js';
import { OpenSchemas } from '../../compiler/analyze/database/open-schemas.js';
import { SchemaDatabases } from '../../compiler/analyze/database/schema-databases.js';
import { checkSource, checkWithDatabases, type Input } from '../../compiler/compile.js';
import { withEdits } from '../../compiler/read/diagnostics/apply-fixes.js';
import type { Diagnostic } from '../../compiler/read/diagnostics/diagnostic.js';
import { CompilationCache } from '../../compiler/generate/emit/compilation-cache.js';
import { position } from '../../compiler/read/source.js';
import { applySafeFixes } from '../../compiler/tools/commands/fix-file.js';

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
        schema:
          orders: { list: 'VALUE(orders, $)', item: { id: 'VALUE(@, $.id)', state: 'VALUE(@, $.state)' } }
          next: NEXT(orders)
  GET /orders.csv:
    authentications: [keys]
    fulfillments:
      - name: rows
        type: READ
        datasource: db
        if: CALLER($.authentication) == TEXT(keys)
        instructions: [{ query: 'SELECT id, total FROM orders WHERE owner = :[CALLER($.sub)]' }]
    responses:
      - name: file
        default: true
        statuscode: 200
        contentType: text/csv
        spreadsheet: true
        schema: { list: 'VALUE(rows, $)', item: { id: 'VALUE(@, $.id)', total: 'VALUE(@, $.total)' } }
  PUT /orders/{id}:
    authentications: [users]
    transaction: true
    fulfillments:
      - name: now
        type: READ
        datasource: db
        instructions: [{ query: 'SELECT version FROM orders WHERE id = :[PARAM(id)] FOR UPDATE' }]
        exceptions:
          - { if: 'VALUE(now, $.version) == NULL()', statuscode: 404, message: 'No order :[PARAM(id)]' }
          - { if: '!IF_MATCH(VALUE(now, $.version))', statuscode: 412, message: It has changed }
      - name: price
        type: CODE
        function: priceOf
        input: { order: PARAM(id), discount: BODY($.discount) }
        returns: { type: object, properties: { price: { type: number } } }
      - name: change
        type: UPDATE
        datasource: db
        instructions: [{ query: 'UPDATE orders SET price = :[VALUE(price, $.price)] WHERE id = :[PARAM(id)]' }]
    responses: [{ name: ok, default: true, statuscode: 204 }]
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
  POST /hooks:
    authentications: [hooks]
    fulfillments: [{ name: hook, type: UPDATE, datasource: db, instructions: [{ query: 'INSERT INTO orders (owner) VALUES (:[BODY($.owner)])' }] }]
    responses: [{ name: ok, default: true, statuscode: 204 }]
  GET /rates:
    authentications: []
    fulfillments:
      - name: rates
        type: READ
        datasource: shop
        onFailure: continue
        instructions: [{ request: { url: /rates, httpType: GET, signature: { scheme: github, secret: ENV(SHOP_SECRET) }, retry: { times: 2, wait: 0.5 }, pages: { next: link, max: 5 } } }]
    responses:
      - { name: late, default: false, if: FAILURE(rates) == TEXT(timeout), statuscode: 504 }
      - { name: ok, default: true, statuscode: 200, fileName: TEXT(rates.json), schema: { rates: 'VALUE(rates, $)' } }
datasources:
  db: { type: db, url: 'jdbc:postgresql://localhost/shop', user: shop, password: '\${DB_PASSWORD}' }
  shop: { type: rest, url: 'https://shop.example.com', outbox: db, timeout: 5, limit: { perSecond: 5 } }
authentications:
  users: { type: jwt, issuer: 'https://id.example.com', audience: shop, jwks: 'https://id.example.com/keys' }
  keys: { type: apikey, header: X-Key, operation: find key }
  hooks: { type: signature, scheme: stripe, secrets: ['\${HOOK_SECRET}'] }
settings: { errors: problem, basePath: /api }
`;

/** `line`: the beginning of the reported line, if it is not the changed line. */
type Row = readonly [right: string, wrong: string, code: string, words: string, line?: string];

/** The replaced text, its replacement, the code of the only diagnostic, and words of its message. */
const mistakes: readonly Row[] = [
  ['type: jwt,', 'type: jtw,', 'unknown-word', "Did you mean 'jwt'"],
  ['issuer: ', 'isuer: ', 'unknown-field', "Did you mean 'issuer'"],
  [
    'audience: shop, ',
    'audience: shop, secret: abc, ',
    'unknown-field',
    "Authentication 'users' has no field 'secret'",
  ],
  [
    "secrets: ['${HOOK_SECRET}']",
    'secret: abc',
    'unknown-field',
    "Did you mean 'secrets', which has several",
  ],
  [
    "secrets: ['${HOOK_SECRET}']",
    "secret: '${HOOK_SECRET}'",
    'unknown-field',
    "secrets: ['${WEBHOOK_SECRET}']",
  ],
  [
    "exceptions: [{ if: 'BODY($.state) == NULL()', statuscode: 400, message: state is missing, code: missing }]",
    "exception: { if: 'BODY($.state) == NULL()', statuscode: 400, message: state is missing, code: missing }",
    'unknown-field',
    "Did you mean 'exceptions', which has several",
  ],
  ['secret: ENV(SHOP_SECRET)', 'secret: abc', 'bare-text', 'Write ENV(NAME) for the variable'],
  ['secret: ENV(SHOP_SECRET)', 'secrets: ENV(SHOP_SECRET)', 'unknown-field', "Did you mean 'secret'"],
  ['outbox: db', 'outbox: dbs', 'outbox-not-database', "Did you mean 'db'"],
  [
    'outbox: db, ',
    "outbox: db, context: { app.tenant: 'CALLER($.sub)' }, ",
    'field-of-other-type',
    "Datasource 'shop' is of type rest, which has no field ",
  ],
  ['deliver: afterCommit', 'deliver: true', 'unknown-word', "Did you mean 'afterCommit'"],
  ['contentType: json', 'contentType: csv', 'unknown-word', 'Write one of json'],
  ['default: up, key', 'default: newest, key', 'unknown-order', "Write one of 'allow': 'up'"],
  ['by: QUERY(sort)', 'by: sort', 'bare-text', 'Write QUERY(sort)'],
  ['etag: true', 'etag: version', 'bare-text', 'Write VALUE(<fulfillment>'],
  ['fileName: TEXT(rates.json)', 'fileName: rates.json', 'bare-text', 'Write TEXT(rates'],
  [
    'FAILURE(rates) == TEXT(timeout)',
    'FAILURE(rates) == TEXT(time-out)',
    'never-true',
    "Did you mean 'timeout'",
  ],
  [
    'FAILURE(rates) == TEXT(timeout)',
    'FAILURE(rate) == TEXT(timeout)',
    'unknown-fulfillment',
    "Did you mean 'rates'",
  ],
  ['onFailure: continue', 'onFailure: ignore', 'unknown-word', "Did you mean 'continue'"],
  ['retry: { times: 2, wait: 0.5 }', 'retry: 2', 'wrong-kind', 'Write { times: 2 }'],
  ['next: link', 'next: Link', 'wrong-kind', "'next' of 'pages' must be link, or a path into the body"],
  [
    'pages: { next: link, max: 5 }',
    'pages: { next: link }',
    'missing-field',
    "'pages' needs the field 'max'",
  ],
  ['httpType: GET', 'method: GET', 'unknown-field', "Did you mean 'httpType'"],
  ['timeout: 5,', 'timeout: 5000,', 'long-timeout', 'Write seconds: 5 for 5000 milliseconds'],
  [
    'limit: { perSecond: 5 }',
    'limit: 5',
    'wrong-kind',
    "'limit' of datasource 'shop' must be a map (lines of the",
  ],
  [
    'limit: { perSecond: 5 }',
    'limit: { perSec: 5 }',
    'unknown-field',
    "'limit' of datasource 'shop' has no field 'perSec'",
  ],
  ['errors: problem', 'errors: problems', 'unknown-word', 'Write one of message'],
  [
    'basePath: /api',
    'basePath: api',
    'wrong-kind',
    "'basePath' must be a path that begins with a slash and does",
  ],
  ['statuscode: 400', 'status: 400', 'unknown-field', "Did you mean 'statuscode'"],
  [
    'statuscode: 400',
    'statuscode: 4000',
    'wrong-kind',
    "'statuscode' of an exception must be a whole number from 200",
  ],
  ['code: missing', 'kode: missing', 'unknown-field', "Did you mean 'code'"],
  [
    "header: ['Location: /orders/:[VALUE(made, $.id)]']",
    "header: { Location: '/orders/:[VALUE(made, $.id)]' }",
    'wrong-kind',
    "Write a list of strings: ['<name>: <value>']",
  ],
  ['BODY($.state) == NULL()', 'BODY($.state) = NULL()', 'wrong-operator', "Unknown operator '='"],
  [
    'BODY($.state) == NULL()',
    'BODY(state) == NULL()',
    'path-without-root',
    "The path 'state' must begin with $",
  ],
  [
    'BODY($.state) == NULL()',
    'BODY($.state) == null',
    'wrong-syntax',
    "'null' is Syntax B, but this operation uses Syntax A",
  ],
  [
    'BODY($.state) == NULL()',
    'SIZE(VALUE(made, $)) == INTEGER(0)',
    'not-yet-run',
    "Fulfillment 'made' has not run yet here",
  ],
  ['VALUE(@, $.state)', 'VALUE(@, state)', 'path-without-root', "The path 'state' must begin with $"],
  [
    'VALUES (:[BODY($.state)])',
    'VALUES (:state)',
    'sql-named-parameter',
    'Write :[PARAM(state)] for a value',
  ],
  [
    'SELECT id, state FROM orders',
    'SELECT id, state FROM orders ORDER BY id',
    'list-statement',
    'The statement of a list has an ORDER BY of its own',
  ],
  [
    'name: keys, optional: true',
    'name: key, optional: true',
    'unknown-authentication',
    "Did you mean 'keys'",
  ],
  ['optional: true', 'optinal: true', 'unknown-field', "Did you mean 'optional'"],
  ['operation: find key', 'operation: find keys', 'key-operation', "Did you mean 'find key'"],
  [
    '  find key:',
    '  find kay:',
    'key-operation',
    "Did you mean 'find kay'",
    'keys: { type: apikey, header: X-Key, ope',
  ],
  [
    'datasource: shop\n        onFailure',
    'datasource: shops\n        onFailure',
    'unknown-datasource',
    "Did you mean 'shop'",
  ],
  ["password: '${DB_PASSWORD}'", "pasword: '${DB_PASSWORD}'", 'unknown-field', "Did you mean 'password'"],
  [
    'jdbc:postgresql://localhost/shop',
    'postgres://localhost/shop',
    'wrong-url',
    'Write jdbc:postgresql:// instead of postgres://',
  ],
  ['key: VALUE(made, $.id)', 'key: VALUE(mad, $.id)', 'unknown-fulfillment', "Did you mean 'made'"],
  [
    'key: VALUE(made, $.id)',
    'key: QUERY(k) || UUID()',
    'or-as-default',
    '`||` joins conditions: its result is true or false, never',
  ],
  [
    'statuscode: 504',
    'statuscode: 504, default: true',
    'duplicate-key',
    "Duplicate key 'default': it is already in line 98",
  ],
  [
    'name: ok\n        default: true',
    'name: ok\n        default: false',
    'missing-default-response',
    "Write 'default: true' in one of its responses",
    'responses:',
  ],
  ['GET /rates:', 'GET rates:', 'near-endpoint', "Did you mean 'GET /rates'"],
  ['POST /orders:', 'PSOT /orders:', 'near-endpoint', "Did you mean 'POST /orders'"],
  [
    "specification: '1.0'",
    'specification: 1.0',
    'unquoted-specification',
    'The version is a string, but YAML reads a number without',
  ],
  ["specification: '1.0'", "version: '1.0'", 'unknown-field', "Did you mean 'specification'"],
  [
    'allow: { up: id, down: id DESC }',
    'allow: [id]',
    'wrong-kind',
    "'allow' of 'order' must be a map (lines of the form `key:",
  ],
  ['key: id }', 'key: ids DESCENDING }', 'wrong-kind', "'key' must be columns, each with ASC or DESC"],
  [
    'keys: { type: apikey, header: X-Key,',
    'keys: { type: apikey, in: header, name: X-Key,',
    'unknown-field',
    'Write header: X-Key',
  ],
  [
    "jwks: 'https://id.example.com/keys'",
    "jwks: 'http://id.example.com/keys'",
    'wrong-authentication',
    'Write the address that the issuer publishes',
  ],
  ['audience: shop,', 'audience: shop, algorithms: [HS256],', 'unknown-algorithm', "Did you mean 'RS256'"],
  [
    'header: X-Key',
    'header: Authorization',
    'wrong-authentication',
    "The header of authentication 'keys' is Authorization, which",
  ],
  [
    'header: X-Key',
    'header: X-Key, query: key',
    'one-of-fields',
    "Authentication 'keys' sets 'header' and 'query'",
  ],
  [
    'authentications: [users]\n    transaction: true\n    exceptions',
    'authentications: users\n    transaction: true\n    exceptions',
    'wrong-kind',
    "'authentications' of operation 'POST /orders' must be a list",
  ],
  [
    'authentications: [users]\n    transaction: true\n    exceptions',
    'authentication: [users]\n    transaction: true\n    exceptions',
    'unknown-field',
    "Did you mean 'authentications'",
  ],
  ['authentications: []', 'authentications: none', 'wrong-kind', 'Write [] if everybody may call it'],
  [
    'authentications: []',
    'authentications: [nobody]',
    'unknown-authentication',
    "Unknown authentication 'nobody'",
  ],
  [
    'authentications: []',
    'authentications: [{ name: users, scope: [read] }]',
    'unknown-field',
    "Did you mean 'scopes'",
  ],
  [
    "issuer: 'https://id.example.com', ",
    '',
    'missing-field',
    "Authentication 'users' needs the field 'issuer'",
  ],
  ['== TEXT(keys)', '== TEXT(Keys)', 'unknown-caller', "Did you mean 'keys'"],
  ['owner = :[CALLER($.sub)]', 'owner = :[CALLER($.sob)]', 'unknown-caller-field', "Did you mean 'sub'"],
  [
    'owner = :[CALLER($.sub)]',
    'owner = :[CALLER($.email)]',
    'unknown-caller-field',
    "Callers of 'GET /orders.csv' have no field 'email': it is",
  ],
  [
    'owner = :[CALLER($.sub)]',
    'owner = :[CALLER(sub)]',
    'path-without-root',
    "The path 'sub' must begin with $",
  ],
  ['owner = :[CALLER($.sub)]', 'owner = :[CALLER.sub]', 'bare-text', 'Write CALLER($'],
  ['owner = :[CALLER($.sub)]', 'owner = :[COOKIE.session]', 'bare-text', 'Write COOKIE(session)'],
  ['owner = :[CALLER($.sub)]', 'owner = :[HEADER.x-owner]', 'bare-text', 'Write HEADER(x-owner)'],
  [
    'basePath: /api',
    'basePath: /api/',
    'wrong-kind',
    "'basePath' must be a path that begins with a slash and does",
  ],
  ['basePath: /api', 'basepath: /api', 'unknown-field', "Did you mean 'basePath'"],
  [
    'errors: problem',
    'errors: { type: problem }',
    'wrong-kind',
    "'errors' must be message, problem, or a list of forms",
  ],
  [
    'errors: problem',
    'errors: [{ statuscode: 200, schema: { m: ERROR($.message) } }]',
    'wrong-kind',
    "'statuscode' must be a status from 400 to 599, 4xx, 5xx, or",
  ],
  [
    'errors: problem',
    'errors: [{ schema: { m: ERROR($.mesage) } }]',
    'unknown-error-field',
    "An error has no field 'mesage'",
  ],
  ['settings: {', 'setting: {', 'unknown-field', "Did you mean 'settings'"],
  ['contentType: text/csv', 'contentType: csv', 'wrong-content-type', 'Write a type and a subtype'],
  ['contentType: text/csv', 'contentType: application/pdf', 'content-differs', 'Write schema: VALUE(picture'],
  ['contentType: text/csv', 'content-type: text/csv', 'unknown-field', "Did you mean 'contentType'"],
  [
    'contentType: text/csv',
    'contentType: text/csv; charset=latin1',
    'wrong-content-type',
    'Strings are sent as UTF-8, but this content type has the',
  ],
  [
    'spreadsheet: true',
    'spreadsheet: yes please',
    'wrong-kind',
    "'spreadsheet' of response 'file' must be true or false",
  ],
  [
    'etag: true',
    "etag: 'VALUE(orders, $.id'",
    'unclosed-parenthesis',
    "Write ')' at the end of the expression",
  ],
  [
    "header: ['Location: /orders/:[VALUE(made, $.id)]']",
    "header: 'Location: /orders/:[VALUE(made, $.id)]'",
    'wrong-kind',
    "'header' of response 'ok' must be a list (lines that begin",
  ],
  [
    "header: ['Location: /orders/:[VALUE(made, $.id)]']",
    "headers: ['Location: /orders/:[VALUE(made, $.id)]']",
    'unknown-field',
    "Did you mean 'header'",
  ],
  [
    "header: ['Location: /orders/:[VALUE(made, $.id)]']",
    "header: ['Location=/orders']",
    'wrong-header',
    'Write the name',
  ],
  ['fileName: TEXT(rates.json)', 'filename: TEXT(rates.json)', 'unknown-field', "Did you mean 'fileName'"],
  ['statuscode: 200, fileName', 'status: 200, fileName', 'unknown-field', "Did you mean 'statuscode'"],
  ['if: FAILURE(rates)', 'when: FAILURE(rates)', 'unknown-field', "Did you mean 'if'"],
  [
    'default: false, if',
    'default: no, if',
    'wrong-kind',
    "'default' of response 'late' must be true or false",
  ],
  [
    "'!IF_MATCH(VALUE(now, $.version))'",
    "'IF_MATCH(VALUE(now, $.version))'",
    'turned-if-match',
    'Write !IF_MATCH(VALUE(now',
  ],
  ['IF_MATCH(VALUE(now, $.version))', 'IF_MATCH(version)', 'bare-text', 'Write VALUE(<fulfillment>'],
  ['IF_MATCH(VALUE(now, $.version))', 'IF_MATCH()', 'wrong-arguments', 'Write IF_MATCH(<value>)'],
  ['IF_MATCH(', 'IFMATCH(', 'unknown-function', "Did you mean 'IF_MATCH'"],
  [
    'statuscode: 412, message: It has changed',
    'code: 412, message: It has changed',
    'missing-field',
    "An exception needs the field 'statuscode'",
  ],
  [
    'statuscode: 412, message: It has changed',
    'statuscode: 412',
    'missing-field',
    "An exception needs the field 'message'",
  ],
  [
    'statuscode: 412, message: It has changed',
    'statuscode: 204, message: It has changed',
    'message-without-body',
    'A response with status 204 never has a body, so this message',
  ],
  [
    "'No order :[PARAM(id)]'",
    "'No order :[PARAM(id)'",
    'unclosed-placeholder',
    "Write ']' after the expression",
  ],
  ["'No order :[PARAM(id)]'", "'No order ${id}'", 'bare-placeholder', 'Write :[PARAM(id)] for a value'],
  ['by: QUERY(sort)', 'by: TEXT(sort)', 'unknown-order', 'Write QUERY(sort) to let each request choose'],
  ['by: QUERY(sort)', 'by: QUERY.sort', 'bare-text', 'Write QUERY(sort)'],
  ['by: QUERY(sort)', 'by: TEXT(down)', 'constant-order', 'Write QUERY(sort) to let each request choose'],
  [', max: 50', '', 'missing-field', "'page' needs the field 'max'"],
  ['max: 50', 'max: 0', 'wrong-kind', "'max' of 'page' must be a whole number from 1 to 10000"],
  ['limit: QUERY(limit)', 'limit: limit', 'bare-text', 'Write QUERY(limit)'],
  [
    'after: QUERY(after) }',
    'after: QUERY(after), offsets: QUERY(offset) }',
    'unknown-field',
    "'page' has no field 'offsets'",
  ],
  [', after: QUERY(after)', '', 'missing-field', "'page' needs the field 'after'"],
  [
    'after: QUERY(after)',
    'after: TEXT(after)',
    'constant-page',
    'Write QUERY(after) to let each request choose',
  ],
  ['up: id,', 'up: id ASCENDING,', 'wrong-kind', "Order 'up' must be columns, each with ASC or DESC"],
  ['down: id DESC', 'down: idd DESC', 'unknown-order-column', "Did you mean 'id'"],
  ['default: up, ', '', 'missing-field', "'order' needs the field 'default'"],
  [', key: id }', ' }', 'missing-field', "'order' needs the field 'key'"],
  ['key: id }', 'key: id DESC }', 'wrong-kind', "'key' must be columns without a direction: it has that of"],
  ['NEXT(orders)', 'NEXT(order)', 'unknown-fulfillment', "Did you mean 'orders'"],
  ['NEXT(orders)', 'NEXT(VALUE(orders, $))', 'malformed-name', 'Write a plain name'],
  ['NEXT(orders)', 'NEXT(orders, $)', 'wrong-arguments', 'Write NEXT(<fulfillment>)'],
  ['times: 2', 'times: 0.5', 'wrong-kind', "'times' of 'retry' of 'request' must be a whole number from"],
  ['wait: 0.5', 'wait: 500', 'long-wait', 'A pause of 500 seconds between two attempts: a request may wait'],
  ['wait: 0.5', 'delay: 0.5', 'unknown-field', "Did you mean 'wait'"],
  ['wait: 0.5', 'on: [5xx]', 'wrong-kind', "'on' of 'retry' must be a status, unreachable, timeout,"],
  [
    'retry: { times: 2, wait: 0.5 }',
    'retries: { times: 2, wait: 0.5 }',
    'unknown-field',
    "Did you mean 'retry'",
  ],
  [
    'retry: { times: 2, wait: 0.5 }',
    'retry: { wait: 0.5 }',
    'missing-field',
    "'retry' of 'request' needs the field 'times'",
  ],
  ['max: 5 } } }', 'max: all } } }', 'wrong-kind', "'max' of 'pages' must be a whole number from 1 to 10000"],
  [
    'perSecond: 5',
    'perSecond: 0',
    'wrong-kind',
    "'perSecond' of 'limit' of datasource 'shop' must be a number",
  ],
  [
    'outbox: db',
    'outbox: shop',
    'outbox-not-database',
    "'shop' is not a database, so nothing can be stored in it",
  ],
  [
    'outbox: db, ',
    '',
    'delivery-without-outbox',
    "Write 'outbox: db' in the datasource 'shop'",
    'deliver: afterCommit',
  ],
  ['deliver: afterCommit\n', 'deliver: later\n', 'unknown-word', "Did you mean 'afterCommit'"],
  ['deliver: afterCommit\n              key', 'key', 'field-of-delivery', "Write 'deliver: afterCommit'"],
  ['function: priceOf', 'function: price-of', 'function-name', 'Write another name'],
  [
    'function: priceOf\n        ',
    '',
    'missing-field',
    "Fulfillment 'price' needs the field 'function'",
    '- name: price',
  ],
  [
    'returns: { type: object, properties: { price: { type: number } } }',
    'return: { type: object, properties: { price: { type: number } } }',
    'unknown-field',
    "Did you mean 'returns'",
  ],
  [
    'returns: { type: object, properties: { price: { type: number } } }',
    'returns: Price',
    'unknown-result',
    "There is no API description with a model 'Price'",
  ],
  ['input: { order', 'inputs: { order', 'unknown-field', "Did you mean 'input'"],
  ['VALUE(price, $.price)', 'VALUE(price, $.prize)', 'undescribed-request-field', "Did you mean 'price'"],
  [
    "specification: '1.0'\n",
    "specification: '1.0'\ninclude: [../other.yaml]\n",
    'wrong-include',
    "'../other.yaml' leads out of the folder of the configuration",
  ],
  [
    "specification: '1.0'\n",
    "specification: '1.0'\ninclude: ['operations/[ab].yaml']\n",
    'wrong-include',
    "'operations/[ab].yaml' has a '['",
  ],
  [
    'SELECT id, state FROM orders',
    'SELCT id, state FROM orders',
    'sql-misspelt-keyword',
    "Unknown keyword 'SELCT'",
  ],
  [
    'SELECT id, state FROM orders',
    'SELECT id, state FORM orders',
    'sql-misspelt-keyword',
    "Unknown keyword 'FORM'",
  ],
  [
    'SELECT id, state FROM orders',
    'SELECT id, state FROM orders LIMIT 10',
    'list-statement',
    'The statement of a list has a LIMIT of its own',
  ],
  ['WHERE hash = :[PARAM(key)]', 'WHERE hash = $1', 'sql-positional-parameter', 'Write a placeholder'],
  [
    'WHERE hash = :[PARAM(key)]',
    'WHERE hash = NULL OR hash = :[PARAM(key)]',
    'sql-equals-null',
    "'= NULL' is never true: nothing equals NULL in SQL, and",
  ],
  [
    'WHERE hash = :[PARAM(key)]',
    'WHERE hash = :[PARAM(kee)]',
    'key-operation',
    "The operation 'find key' does not read the parameter 'key'",
    'keys: { type: apikey, header: X-Key, ope',
  ],
  [
    'WHERE hash = :[PARAM(key)]',
    'WHERE hash = :[PARAM(key)',
    'unclosed-placeholder',
    "Write ']' after the expression",
  ],
  [
    'INSERT INTO orders (state)',
    'INSERT INTO orders (state, total)',
    'sql-insert-count',
    'Write a value for each column',
  ],
  [
    "type: UPDATE\n        datasource: db\n        instructions: [{ query: 'INSERT",
    "type: READ\n        datasource: db\n        instructions: [{ query: 'INSERT",
    'sql-read-changes',
    'Write `type: UPDATE`',
    "instructions: [{ query: 'INSERT INTO ord",
  ],
  [
    "type: UPDATE\n        datasource: db\n        instructions: [{ query: 'UPDATE",
    "type: WRITE\n        datasource: db\n        instructions: [{ query: 'UPDATE",
    'unknown-word',
    "Did you mean 'UPDATE'",
  ],
  [
    'SET price = :[VALUE(price, $.price)] WHERE id = :[PARAM(id)]',
    'SET price = :[VALUE(price, $.price)]',
    'sql-every-row',
    'UPDATE without WHERE changes every row',
  ],
  [
    'SELECT owner FROM key',
    'SELECT owner FROM key; SELECT 1',
    'sql-several-statements',
    'Write one fulfillment for each statement',
  ],
  ['type: rest', 'type: http', 'unknown-word', "Did you mean 'rest'"],
  ['user: shop', 'username: shop', 'unknown-field', "Did you mean 'user'"],
  [
    'PUT /orders/{id}:',
    'PUT /orders/{nr}:',
    'unread-path-parameter',
    "The path parameter 'nr' is never read",
  ],
  ['PUT /orders/{id}:', 'PUT /orders/:id:', 'wrong-path', 'Write PUT /orders/{id}'],
  ['PUT /orders/{id}:', 'PUT orders/{id}:', 'near-endpoint', "Did you mean 'PUT /orders/{id}'"],
  [
    'transaction: true\n    exceptions',
    'transactions: true\n    exceptions',
    'unknown-field',
    "Did you mean 'transaction'",
  ],
  [
    'transaction: true\n    exceptions',
    'exceptions',
    'delivery-outside-transaction',
    "Write 'transaction: true' in 'POST /orders'",
    'deliver: afterCommit',
  ],
];

/** The tables of the service. */
const schema = `
CREATE TABLE key (hash text PRIMARY KEY, owner text NOT NULL);
CREATE TABLE customer (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE orders (
  id int PRIMARY KEY,
  state text NOT NULL CHECK (state IN ('open', 'paid')),
  owner text,
  customer_id int REFERENCES customer,
  total int NOT NULL DEFAULT 0,
  price int,
  version int NOT NULL DEFAULT 1
);
`;

/** Mistakes that are only found with a schema. */
const ofTables: readonly Row[] = [
  ['(:[BODY($.state)])', "(''opened'')", 'check-refuses-value', "Did you mean 'open'"],
  ['(:[BODY($.state)])', '(:[TEXT(payed)])', 'check-refuses-value', "Did you mean 'paid'"],
  ["VALUE(@, $.state)' }", "VALUE(@, $.stat)' }", 'unknown-column', "Did you mean 'state'"],
  [
    'VALUE(now, $.version) == NULL()',
    'VALUE(now, $[1].version) == NULL()',
    'row-never-there',
    "The statement of 'now' returns at most 1 row",
  ],
  [
    'SELECT id, state FROM orders',
    'SELECT o.id, o.state FROM orders o JOIN customer c ON c.id = o.id',
    'sql-key-join',
    'Write o.customer_id',
  ],
  ['SELECT id, total FROM orders', 'SELECT id, totl AS total FROM orders', 'sql-refused', 'totl'],
  ['key: id }', 'key: state }', 'order-key', "'state' may not be unique"],
  [
    "contentType: text/csv\n        spreadsheet: true\n        schema: { list: 'VALUE(rows, $)', item: { id: 'VALUE(@, $.id)', total: 'VALUE(@, $.total)' } }",
    'contentType: application/pdf\n        schema: VALUE(rows, $.total)',
    'bytes-of-other',
    'this value is a number',
    'schema: VALUE(rows, $.total)',
  ],
];

const databases = new SchemaDatabases(
  () => ({ kind: 'schema', sources: [{ path: 'schema.sql', text: schema }] }),
  new DiskCache(undefined),
  new OpenSchemas(),
);

/** Caches, so that unchanged parts are checked once. */
const [kept, keptWithTables] = [new CompilationCache(), new CompilationCache()];

type Check = (text: string) => Promise<readonly Diagnostic[]>;

/** No pattern of `include` matches a file. */
const inputOf = (text: string): Input => ({ config: { path: 'config.yaml', text }, include: () => [] });

const checkAlone: Check = (text) =>
  Promise.resolve(
    checkSource(inputOf(text), kept).diagnostics.filter(({ code }) => code !== 'unchecked-sql'),
  );

const checkWithTables: Check = async (text) =>
  (await checkWithDatabases(inputOf(text), databases, keptWithTables)).diagnostics;

describe.each([
  { name: 'alone', rows: mistakes, check: checkAlone },
  { name: 'with its tables', rows: ofTables, check: checkWithTables },
])('the configuration $name', ({ rows, check }) => {
  test('is right', async () => {
    expect(await check(right)).toEqual([]);
  });

  const mistakesIn = rows.map(([before, after, code, words, line]) => ({ before, after, code, words, line }));

  test.each(mistakesIn)('$before → $after', async ({ before, after, code, words, line }) => {
    expect(right.split(before)).toHaveLength(2);
    const text = right.replace(before, () => after);
    const found = await check(text);
    expect(found.map((one) => one.code)).toEqual([code]);
    const [{ message, hint = '', span, fix } = { message: '', span: undefined }] = found;
    expect(`${message} ${hint}`).toContain(words);
    const at = span && position(span.source, span.start).line;
    if (line === undefined) expect(at).toBe(changedLine(text));
    else expect(text.split('\n')[(at ?? 0) - 1]?.trim()).toMatch(startingWith(line));
    if (fix === undefined) return;
    // A suggested fix is as right as the fixes of `--fix`.
    expect(errorsIn(await check(withEdits(text, fix.edits)))).toEqual([]);
    if (!fix.isSafe) return;
    const { texts } = await applySafeFixes(async (changed) => {
      const config = { path: 'config.yaml', text: changed.get('config.yaml') ?? text };
      return { diagnostics: await check(config.text), files: new Map([[config.path, config]]) };
    });
    expect(errorsIn(await check(texts.get('config.yaml') ?? ''))).toEqual([]);
  });
});

const errorsIn = (found: readonly Diagnostic[]): readonly Diagnostic[] =>
  found.filter(({ severity }) => severity === 'error');

test('there are mistakes of every part of the language', () => {
  expect(mistakes.length + ofTables.length).toBeGreaterThan(98);
});

/** The first line that differs from the valid configuration. */
function changedLine(text: string): number {
  const lines = right.split('\n');
  return text.split('\n').findIndex((line, index) => line !== lines[index]) + 1;
}

function startingWith(text: string): RegExp {
  return new RegExp(`^${text.replaceAll(/[^\w\s]/g, '\\$&')}`);
}
