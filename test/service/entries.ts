/** The test service: entries in one table, with six fast operations and a slow one, on either database. */
import type { DatabaseKind } from '../helpers/service-fixture.js';

/** SQL and expressions that differ between the databases. */
const words = {
  postgresql: { text: 'TEXT', sleep: 'pg_sleep', created: '$.id', changed: 'SIZE(VALUE(changed, $))' },
  mariadb: {
    text: 'CHAR',
    sleep: 'SLEEP',
    created: '$.insert_id',
    changed: 'VALUE(changed, $.affected_rows)',
  },
} as const;

export const canaries = {
  /** Credentials in the configuration, all of them wrong. */
  password: 'canary-password-71',
  urlPassword: 'canary-url-password-72',
  licence: 'canary-licence-73',
  /** A value sent in requests. */
  value: 'canary-value-74',
} as const;

/** The configuration. Its credentials are canaries: the environment sets the real ones. */
export function entriesConfig(kind: DatabaseKind): string {
  const { text, sleep, created, changed } = words[kind];
  const scheme = kind;
  return `specification: "1.0"
operations:
  'POST /entries':
    fulfillments:
      - name: created
        type: UPDATE
        datasource: main
        instructions:
          - query: INSERT INTO entry (tag, amount) VALUES (:[BODY($.tag)], :[BODY($.amount)])
    responses:
      - { name: created, default: true, statuscode: 201, schema: { id: 'VALUE(created, ${created})', tag: 'BODY($.tag)' } }

  'GET /entries/{tag}':
    fulfillments:
      - name: entry
        type: READ
        datasource: main
        instructions:
          - query: SELECT id, tag, amount FROM entry WHERE tag = :[PARAM(tag)]
        exceptions:
          - { if: 'SIZE(VALUE(entry, $)) == INTEGER(0)', statuscode: 404, message: 'No entry :[PARAM(tag)]' }
    responses:
      - name: ok
        default: true
        statuscode: 200
        schema: { tag: 'VALUE(entry, $.tag)', amount: 'VALUE(entry, $.amount)' }

  'PUT /entries/{tag}':
    fulfillments:
      - name: changed
        type: UPDATE
        datasource: main
        instructions:
          - query: UPDATE entry SET amount = :[BODY($.amount)] WHERE tag = :[PARAM(tag)]
        exceptions:
          - { if: '${changed} == INTEGER(0)', statuscode: 404, message: No such entry }
    responses:
      - { name: ok, default: true, statuscode: 200, schema: { changed: '${changed}', amount: 'BODY($.amount)' } }

  'POST /entries/{tag}/increments':
    fulfillments:
      - name: changed
        type: UPDATE
        datasource: main
        instructions:
          - query: UPDATE entry SET amount = amount + 1 WHERE tag = :[PARAM(tag)]
        exceptions:
          - { if: '${changed} == INTEGER(0)', statuscode: 404, message: No such entry }
    responses:
      - { name: ok, default: true, statuscode: 204 }

  'DELETE /entries/{tag}':
    fulfillments:
      - name: deleted
        type: UPDATE
        datasource: main
        instructions:
          - query: DELETE FROM entry WHERE tag = :[PARAM(tag)]
    responses:
      - { name: deleted, default: true, statuscode: 204 }

  'GET /echo/{value}':
    fulfillments:
      - name: echo
        type: READ
        datasource: main
        instructions:
          - query: SELECT CAST(:[PARAM(value)] AS ${text}) AS value, CAST(:[PARAM(other)] AS ${text}) AS other
    responses:
      - { name: ok, default: true, statuscode: 200, schema: { value: 'VALUE(echo, $.value)', other: 'VALUE(echo, $.other)' } }

  'GET /slow/{value}':
    fulfillments:
      - name: slow
        type: READ
        datasource: main
        instructions:
          - query: SELECT ${sleep}(1.5) AS done, CAST(:[PARAM(value)] AS ${text}) AS value
    responses:
      - { name: ok, default: true, statuscode: 200, schema: { value: 'VALUE(slow, $.value)' } }

datasources:
  main:
    type: db
    url: jdbc:${scheme}://canary:${canaries.urlPassword}@localhost/nowhere
    user: nobody
    password: ${canaries.password}

settings:
  licence: ${canaries.licence}
`;
}

export const entriesSchema: Readonly<Record<DatabaseKind, string>> = {
  postgresql: 'CREATE TABLE entry (id serial PRIMARY KEY, tag text UNIQUE NOT NULL, amount integer NOT NULL)',
  mariadb:
    'CREATE TABLE entry (id integer AUTO_INCREMENT PRIMARY KEY, tag varchar(100) UNIQUE NOT NULL, amount integer NOT NULL)',
};
