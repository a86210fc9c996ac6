/**
 * A service that uses every feature that contains user text: configuration, API description, schema, tests, and a third party's
 * description.
 */

/** Returns the text for a position; each name is one position. */
export type TextAt = (position: string) => string;

export type HostileFiles = Readonly<
  Record<'config.yaml' | 'openapi.json' | 'schema.sql' | 'config.test.yaml' | 'partner.json', string>
>;

/** The plain twin: each position has its own word, which has no special meaning in any notation. */
export function plainAt(position: string): string {
  return `z${position.replaceAll('.', '').toLowerCase()}`;
}

/** A double-quoted string, for both syntaxes. */
function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

/** A quoted PostgreSQL identifier. */
function named(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** A PostgreSQL string literal. */
function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** The files with the texts. All files except SQL are JSON, which is also valid YAML. */
export function filesWith(at: TextAt): HostileFiles {
  const text = (value: unknown): string => JSON.stringify(value, null, 2);
  return {
    'config.yaml': text(configOf(at)),
    'openapi.json': text(descriptionOf(at)),
    'schema.sql': schemaOf(at),
    'config.test.yaml': text(testsOf(at)),
    'partner.json': text(partnerOf(at)),
  };
}

/** The names of all positions, in file order. */
export function allPositions(): string[] {
  const names = new Set<string>();
  filesWith((position) => {
    names.add(position);
    return plainAt(position);
  });
  return [...names];
}

function configOf(at: TextAt): object {
  const path = (position: string): string => `$[${quoted(at(position))}]`;
  const string = (position: string): string => `TEXT(${quoted(at(position))})`;
  const db = at('db.name');
  const rest = at('rest.name');
  const table = named(at('sql.table'));
  const first = at('A.fulfillment');
  const loop = at('loop.name');
  const inner = at('loop.inner');
  return {
    specification: '1.0',
    operations: {
      'GET /things/{id}': {
        authentications: [
          { name: at('auth.jwt'), scopes: [at('auth.scope'), at('auth.scope2')] },
          at('auth.basic'),
        ],
        exceptions: [
          {
            if: `PARAM(${quoted(at('A.early.parameter'))}) == ${string('A.early.text')}`,
            statuscode: 400,
            message: at('A.early.message'),
            code: at('A.early.code'),
          },
        ],
        fulfillments: [
          {
            name: first,
            type: 'READ',
            datasource: db,
            if: `PARAM(q) != ${string('A.condition')}`,
            instructions: [
              {
                if: `PARAM(q) == ${string('A.instruction')}`,
                query: [
                  `SELECT ${literal(at('sql.string'))} AS ${named(at('sql.alias'))} /* ${at('sql.comment')} */`,
                  `FROM ${table}`,
                  `WHERE ${named(at('sql.column'))} = :[${string('sql.binding')}] AND ${named(at('sql.other'))} = :[PARAM(${quoted(at('A.parameter'))})]`,
                ].join('\n'),
              },
              {
                sql: {
                  query: `SELECT ${named(at('sql.column'))} AS ${named(at('sql.alias'))} FROM ${table} WHERE ${named(at('sql.other'))} = ? /* ${at('sqlForm.comment')} */`,
                  parameters: [{ param: `QUERY(${quoted(at('A.query'))})` }],
                },
              },
            ],
            exceptions: [
              {
                if: `VALUE(${first}, ${path('sql.alias')}) == ${string('A.exception.text')}`,
                statuscode: 404,
                message: at('A.message'),
                header: [`X-Reason: ${at('A.exception.header')}`],
                schema: { [at('A.exception.key')]: 'ERROR($.message)', hint: string('A.exception.schema') },
              },
              {
                if: 'PARAM(z) == NULL()',
                statuscode: 422,
                message: `${at('A.message.before')}:[PARAM(${quoted(at('A.message.parameter'))})]${at('A.message.after')}`,
              },
            ],
          },
        ],
        responses: [
          {
            name: at('response.other'),
            default: false,
            if: 'PARAM(a) == NULL()',
            statuscode: 201,
            header: [`X-Text: ${at('response.header')}`],
          },
          {
            name: at('response.name'),
            default: true,
            statuscode: 200,
            schema: {
              raw: `TEXT(${at('response.raw')})`,
              text: string('response.text'),
              [`k ${at('response.key')}`]: {
                [at('response.nested')]: `VALUE(${first}, ${path('sql.alias')})`,
              },
              list: {
                list: `VALUE(${first}, $)`,
                item: { [at('response.itemKey')]: `VALUE(@, ${path('sql.alias')})` },
              },
              caller: `CALLER(${path('response.caller')})`,
            },
          },
        ],
      },
      'GET /described': {
        authentications: [],
        fulfillments: [
          {
            name: 'things',
            type: 'READ',
            datasource: db,
            queries: [
              {
                if: `query[${quoted(at('B.query'))}] != ${quoted(at('B.text'))}`,
                query: `SELECT ${named(at('sql.column'))} AS a FROM ${table} WHERE ${named(at('sql.other'))} = :[query.q] /* ${at('B.comment')} */`,
              },
            ],
            exceptions: [{ if: 'things == null', statuscode: 404, message: at('B.message') }],
          },
        ],
        responses: [{ name: 'ok', default: true, statuscode: 200 }],
        mappings: {
          [at('model.name')]: {
            [at('model.field')]: 'things.a',
            constant: quoted(at('B.mapping')),
          },
        },
      },
      'GET /export': {
        authentications: [],
        fulfillments: [
          {
            name: 'rows',
            type: 'READ',
            datasource: db,
            instructions: [{ query: `SELECT ${named(at('sql.column'))} AS a FROM ${table}` }],
            order: {
              by: 'QUERY(sort)',
              allow: { [at('order.choice')]: 'a', other: 'a DESC' },
              default: 'other',
              key: 'a',
            },
          },
        ],
        responses: [
          {
            name: 'file',
            default: true,
            statuscode: 200,
            contentType: 'text/csv',
            fileName: string('response.fileName'),
            schema: { list: 'VALUE(rows, $)', item: { [at('csv.heading')]: 'VALUE(@, $.a)' } },
          },
        ],
      },
      [`POST /parcels/${at('path.segment')}`]: {
        authentications: [{ name: at('auth.key') }],
        fulfillments: [
          {
            name: 'sent',
            type: 'UPDATE',
            datasource: rest,
            onFailure: 'continue',
            instructions: [
              {
                request: {
                  url: `/parcels/${at('request.path')}?${at('request.queryName')}=${at('request.queryValue')}&n=:[BODY(${path('request.bodyPath')})]`,
                  httpType: 'POST',
                  header: [
                    `X-One: ${at('request.header')}`,
                    `X-Two: a:[PARAM(${quoted(at('request.parameter'))})]`,
                  ],
                  body: {
                    contentType: 'json',
                    schema: { [at('request.key')]: string('request.text') },
                  },
                  idempotencyKey: string('request.idempotency'),
                },
              },
            ],
            exceptions: [
              { if: 'STATUS(sent) >= INTEGER(400)', statuscode: 502, message: at('request.message') },
            ],
          },
          {
            name: 'parts',
            type: 'UPDATE',
            datasource: rest,
            instructions: [
              {
                request: {
                  url: '/parts',
                  httpType: 'POST',
                  multipart: { [at('multipart.name')]: string('multipart.text') },
                },
              },
            ],
          },
          {
            name: 'told',
            type: 'UPDATE',
            datasource: at('described.name'),
            instructions: [
              {
                request: {
                  url: '/tell',
                  httpType: 'POST',
                  body: { contentType: 'json', schema: { [at('partner.property')]: string('partner.text') } },
                },
              },
            ],
          },
        ],
        responses: [
          {
            name: 'ok',
            default: true,
            statuscode: 201,
            header: [`Location: /things/${at('response.location')}`],
          },
        ],
      },
      [at('job.name')]: {
        triggers: [{ name: at('trigger.name'), cron: '0 0 3 * * *', timezone: 'Europe/Berlin' }],
        fulfillments: [
          {
            name: 'old',
            type: 'READ',
            datasource: db,
            instructions: [
              {
                query: `SELECT ${named(at('sql.column'))} AS a -- ${at('sql.line')}\nFROM ${table} LIMIT 10`,
              },
            ],
          },
          {
            name: loop,
            type: 'LOOP',
            loop: 'VALUE(old, $)',
            loopbreak: `VALUE(${loop}, $.a) == ${string('loop.break')}`,
            fulfillments: [
              {
                name: inner,
                type: 'READ',
                datasource: db,
                index: `VALUE(${loop}, $.a)`,
                instructions: [
                  {
                    query: `SELECT ${named(at('sql.other'))} AS b FROM ${table} WHERE ${named(at('sql.column'))} = :[VALUE(${loop}, $.a)]`,
                  },
                ],
              },
            ],
          },
          {
            name: 'removed',
            type: 'UPDATE',
            datasource: db,
            instructions: [
              {
                query: `DELETE FROM ${table} WHERE ${named(at('sql.column'))} = ${literal(at('job.literal'))}`,
              },
            ],
          },
          {
            name: 'called',
            type: 'reference',
            operationName: at('part.name'),
            parameters: { [at('part.parameter')]: string('part.text') },
          },
        ],
      },
      [at('part.name')]: {
        fulfillments: [
          {
            name: 'one',
            type: 'READ',
            datasource: db,
            instructions: [
              {
                query: `SELECT ${named(at('sql.function'))}(:[PARAM(${quoted(at('part.parameter'))})]) AS a`,
              },
            ],
          },
        ],
        responses: [
          { name: 'ok', default: true, statuscode: 200, schema: { [at('part.key')]: 'VALUE(one, $.a)' } },
        ],
      },
    },
    datasources: {
      [db]: {
        type: 'db',
        url: `jdbc:postgresql://\${DB_HOST:${at('db.host')}}:5432/shop?ApplicationName=${at('db.option')}`,
        user: at('db.user'),
        password: `\${DB_PASSWORD:${at('db.password')}}`,
        context: { 'app.tenant': string('db.context') },
        role: at('db.role'),
      },
      [rest]: {
        type: 'rest',
        url: `https://partner.example/${at('rest.path')}?key=${at('rest.key')}`,
        header: [`X-Client: ${at('rest.header')}`, `X-Default: \${CLIENT_HEADER:${at('rest.default')}}`],
        oauth2: {
          tokenUrl: `https://partner.example/token/${at('oauth2.path')}`,
          clientId: at('oauth2.client'),
          clientSecret: at('oauth2.secret'),
          scope: at('oauth2.scope'),
          parameters: { [at('oauth2.name')]: at('oauth2.value') },
        },
        timeout: 5,
      },
      [at('described.name')]: {
        type: 'rest',
        url: `https://described.example/v1`,
        user: at('described.user'),
        password: at('described.password'),
        description: 'partner.json',
      },
    },
    authentications: {
      [at('auth.jwt')]: {
        type: 'jwt',
        issuer: `https://id.example/${at('jwt.issuer')}`,
        audience: at('jwt.audience'),
        jwks: `https://id.example/keys/${at('jwt.jwks')}`,
        scopesClaim: at('jwt.claim'),
        issue: {
          lifetime: { [at('issue.lifetime')]: '15m' },
          claims: [at('issue.claim')],
          key: `${at('issue.key')}-of-32-characters-and-more-than-these`,
        },
      },
      [at('auth.basic')]: { type: 'basicauth', user: at('basic.user'), password: at('basic.password') },
      [at('auth.key')]: {
        type: 'apikey',
        header: 'X-Api-Key',
        keys: { [at('key.name')]: `${at('key.value')}-of-32-characters-and-more-than-these` },
      },
    },
    settings: {
      debug: true,
      apiDocs: true,
      licence: at('settings.licence'),
      errors: [
        {
          statuscode: '4xx',
          schema: {
            [at('errors.key')]: 'ERROR($.message)',
            hint: string('errors.text'),
          },
        },
      ],
    },
  };
}

function descriptionOf(at: TextAt): object {
  const problem = { description: at('api.response.description') };
  const ok = { 200: { description: at('api.ok.description') }, default: problem };
  return {
    openapi: '3.1.0',
    info: {
      title: at('api.title'),
      version: at('api.version'),
      description: at('api.description'),
      contact: { name: at('api.contact') },
      license: { name: at('api.licence') },
    },
    servers: [
      { url: `https://api.example/${at('api.server.path')}`, description: at('api.server.description') },
    ],
    tags: [{ name: at('api.tag'), description: at('api.tag.description') }],
    paths: {
      '/things/{id}': {
        summary: at('api.path.summary'),
        get: {
          operationId: at('api.operationId'),
          summary: at('api.summary'),
          description: at('api.operation.description'),
          tags: [at('api.tag')],
          security: [{ [at('api.scheme')]: [] }],
          parameters: [
            {
              name: 'id',
              in: 'path',
              required: true,
              description: at('api.parameter.description'),
              schema: { type: 'string' },
            },
            {
              name: at('A.query'),
              in: 'query',
              schema: {
                type: 'string',
                enum: [at('api.enum'), 'other'],
                default: at('api.default'),
                example: at('api.parameter.example'),
              },
            },
          ],
          responses: ok,
        },
      },
      '/described': {
        get: {
          operationId: 'described',
          parameters: [
            { name: 'q', in: 'query', schema: { type: 'string', title: at('api.q.title'), maxLength: 9999 } },
            { name: at('B.query'), in: 'query', schema: { type: 'string' } },
            {
              name: 'at',
              in: 'header',
              schema: {
                type: 'string',
                pattern: `^[${plainAt('api.pattern')}]*$`,
                description: at('api.header.description'),
              },
            },
          ],
          responses: {
            200: {
              description: at('api.list.description'),
              headers: {
                'X-Any': { description: at('api.header2.description'), schema: { type: 'string' } },
              },
              content: {
                'application/json': {
                  schema: {
                    type: 'array',
                    items: { $ref: `#/components/schemas/${pointer(at('model.name'))}` },
                  },
                  example: [{ [at('api.example.key')]: at('api.example.value') }],
                },
              },
            },
            default: problem,
          },
        },
      },
      '/export': {
        get: {
          parameters: [{ name: 'sort', in: 'query', schema: { type: 'string' } }],
          responses: {
            200: {
              description: at('api.export.description'),
              content: { 'text/csv': { schema: { type: 'string' } } },
            },
          },
        },
      },
      [`/parcels/${at('path.segment')}`]: {
        post: {
          requestBody: {
            description: at('api.body.description'),
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: [at('request.bodyPath')],
                  properties: {
                    [at('request.bodyPath')]: {
                      type: 'string',
                      description: at('api.property.description'),
                      const: at('api.const'),
                    },
                    [at('api.property')]: {
                      enum: [at('api.property.enum'), null],
                      default: at('api.property.default'),
                    },
                  },
                  additionalProperties: { type: 'string', description: at('api.additional.description') },
                },
              },
            },
          },
          responses: { 201: { description: at('api.created.description') }, default: problem },
        },
      },
    },
    components: {
      schemas: {
        [at('model.name')]: {
          type: 'object',
          title: at('api.model.title'),
          description: at('api.model.description'),
          properties: {
            [at('model.field')]: {
              type: ['string', 'null'],
              description: at('api.field.description'),
              example: at('api.field.example'),
            },
            constant: { type: 'string' },
          },
        },
      },
      securitySchemes: {
        [at('api.scheme')]: { type: 'http', scheme: 'bearer', description: at('api.scheme.description') },
      },
    },
  };
}

function pointer(name: string): string {
  const token = name.replaceAll('~', '~0').replaceAll('/', '~1');
  // A lone surrogate cannot be percent-encoded.
  return Array.from(token, (letter) => (/\p{Cs}/u.test(letter) ? letter : encodeURIComponent(letter))).join(
    '',
  );
}

function schemaOf(at: TextAt): string {
  const table = named(at('sql.table'));
  return `-- ${at('schema.comment').replaceAll(/[\n\r]/g, ' ')}
CREATE TYPE ${named(at('schema.type'))} AS ENUM (${literal(at('schema.label'))}, 'other');
CREATE TABLE ${table} (
  id integer PRIMARY KEY,
  ${named(at('sql.column'))} text DEFAULT ${literal(at('schema.default'))},
  ${named(at('sql.other'))} text CONSTRAINT ${named(at('schema.constraint'))} CHECK (${named(at('sql.other'))} <> ${literal(at('schema.check'))}),
  kind ${named(at('schema.type'))}
);
CREATE INDEX ${named(at('schema.index'))} ON ${table} (kind);
COMMENT ON TABLE ${table} IS ${literal(at('schema.table.comment'))};
COMMENT ON COLUMN ${table}.${named(at('sql.column'))} IS ${literal(at('schema.column.comment'))};
CREATE FUNCTION ${named(at('sql.function'))}(text) RETURNS text LANGUAGE sql AS $body$ SELECT $1 $body$;
`;
}

function testsOf(at: TextAt): object {
  return {
    tests: [
      {
        name: at('test.name'),
        request: 'GET /described',
        query: { [at('B.query')]: at('test.query'), q: at('test.q') },
        header: { 'X-Any': at('test.header') },
        response: { statuscode: 404, body: { message: at('test.message') } },
      },
      {
        name: `second ${at('test.second')}`,
        steps: [
          {
            name: at('test.step'),
            request: 'GET /described',
            query: { q: 'x' },
            response: { statuscode: 200, body: { [at('test.key')]: at('test.value') } },
          },
        ],
      },
    ],
  };
}

function partnerOf(at: TextAt): object {
  return {
    openapi: '3.1.0',
    info: { title: at('partner.title'), version: '1' },
    paths: {
      '/tell': {
        post: {
          operationId: at('partner.operationId'),
          summary: at('partner.summary'),
          requestBody: {
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: {
                    [at('partner.property')]: { type: 'string', description: at('partner.description') },
                    [at('partner.other')]: { enum: [at('partner.enum'), 'x'] },
                  },
                },
              },
            },
          },
          responses: {
            200: {
              description: at('partner.response'),
              content: {
                'application/json': {
                  schema: { type: 'object', properties: { [at('partner.result')]: { type: 'string' } } },
                },
              },
            },
          },
        },
      },
    },
  };
}
