/** Configurations full of secrets, each at a different position, and typical editing mistakes. */

/** Every secret begins with these letters, and no other text does. */
export const canary = 'hunter2';

function secrets(): () => string {
  let count = 0;
  return () => {
    const letter = String.fromCharCode(97 + (count % 26));
    const more = 'q'.repeat(3 + Math.floor(count / 26));
    count += 1;
    return `${canary}${letter}${more}`;
  };
}

function operationsWith(secret: () => string): string {
  return `  GET /news/{id}:
    authentications: [admin]
    fulfillments:
      - name: news
        type: READ
        datasource: newsdb
        instructions:
          - query: SELECT id, title FROM news WHERE id = :[PARAM(id)]
        exceptions:
          - if: SIZE(VALUE(news, $)) == INTEGER(0)
            statuscode: 404
            message: No news
      - name: rating
        type: READ
        datasource: ratings
        instructions:
          - request: { url: '/ratings/:[PARAM(id)]', httpType: GET }
      - name: marks
        type: READ
        datasource: ratings
        instructions:
          - request:
              httpType: GET
              url: /marks
              header:
                - 'Authorization: Bearer ${secret()}'
                - X-Session: ${secret()}
                - "X-User: :[PARAM(id)] ${secret()}"
          - request: { url: /marks, httpType: GET, header: ['X-Api-Key: ${secret()}', "X-Two: ${secret()}"] }
    responses:
      - name: ok
        default: true
        statuscode: 200
        schema:
          title: VALUE(news, $.title)
          rating: VALUE(rating, $.stars)
`;
}

/**
 * Block style with every kind of scalar. The secrets are in accounts, URLs, options, headers of datasources and requests, the licence and
 * comments.
 */
export function blockStyle(): string {
  const secret = secrets();
  return `specification: "1.0"
operations:
${operationsWith(secret)}datasources:
  newsdb:
    type: db
    url: jdbc:postgresql://${secret()}:${secret()}@localhost:5432/news?password=${secret()}&sslmode=disable
    user: ${secret()}
    password: "${secret()}"   # ${secret()}
  otherdb:
    type: db
    driver: org.postgresql.Driver
    url: >-
      jdbc:postgresql://localhost/other?user=${secret()}
    user: \${DB_USER:${secret()}}
    password: |
      ${secret()}
    pool: { min: 1, max: 5 }
  flowdb: { type: db, url: 'jdbc:mysql://localhost/flow', user: ${secret()}, password: ${secret()} }
  ratings:
    type: rest
    url: https://${secret()}@api.example.com/v1?key=${secret()}
    header:
      - 'Authorization: Bearer ${secret()}'
      - X-Api-Key: ${secret()}
  # ${secret()}
authentications:
  admin:
    type: basicauth
    user: '${secret()}'
    password: &p ${secret()}
  guest: { type: basicauth, user: "${secret()}", password: *p }
  partners: { type: apikey, header: X-Api-Key, keys: { acme: [${secret()}, '${secret()}'] } }
  machines:
    type: apikey
    cookie: session
    keys:
      acme: ${secret()}
      other:
        - ${secret()}
  users:
    type: jwt
    issuer: https://id.example.com/
    audience: news
    algorithms: [HS256]
    key: ${secret()}
  hook: { type: signature, scheme: github, secrets: ['${secret()}'] }
settings:
  debug: true
  basePath: /v1
  errors:
    - statuscode: [409, 422]
      schema: { error: { code: ERROR(code), text: TEXT(failed) } }
  licence: ${secret()}
`;
}

/** Sections in a different order; secrets with line breaks, in single quotes, merged and aliased. */
export function otherStyle(): string {
  const secret = secrets();
  return `specification: "1.0"
settings:
  licence: '${secret()}'
authentications:
    admin:
        type: basicauth
        user: ${secret()}
        password: '${secret()}
          ${secret()}'
datasources:
    newsdb: &db
        type: db
        url: "jdbc:mariadb://${secret()}:${secret()}@localhost/news"
        password: >
            ${secret()}
            ${secret()}
    copy:
        <<: *db
        user: ${secret()}
    ratings:
        type: rest
        url: https://api.example.com
        user: ${secret()}
        password: ${secret()}
        timeout: 5
operations:
${operationsWith(secret)}`;
}

/** JSON on several lines or on one line. */
export function jsonStyle(indent: number | undefined): string {
  const secret = secrets();
  const configuration = {
    specification: '1.0',
    datasources: {
      newsdb: {
        type: 'db',
        url: `jdbc:postgresql://${secret()}:${secret()}@localhost/news?password=${secret()}`,
        user: secret(),
        password: secret(),
      },
      ratings: {
        type: 'rest',
        url: 'https://api.example.com',
        header: [`X-Api-Key: ${secret()}`],
      },
    },
    authentications: {
      admin: { type: 'basicauth', user: secret(), password: secret() },
      partners: { type: 'apikey', header: 'X-Api-Key', keys: { acme: [secret(), secret()] } },
      users: { type: 'jwt', issuer: 'https://id.example.com', audience: 'news', key: secret() },
    },
    settings: { debug: false, licence: secret() },
    operations: {
      'GET /news': {
        fulfillments: [
          {
            name: 'news',
            type: 'READ',
            datasource: 'newsdb',
            instructions: [{ query: 'SELECT id FROM news' }],
          },
          {
            name: 'marks',
            type: 'READ',
            datasource: 'ratings',
            instructions: [
              {
                request: {
                  url: '/marks',
                  httpType: 'GET',
                  header: [`X-Session: ${secret()}`, `Cookie: ${secret()}`],
                },
              },
            ],
          },
        ],
        responses: [{ name: 'ok', default: true, statuscode: 200, schema: { id: 'VALUE(news, $.id)' } }],
      },
    },
  };
  return JSON.stringify(configuration, null, indent);
}

/** Returns an integer from 0 to `below` - 1. */
export type Random = (below: number) => number;

/** Random numbers determined by the seed. */
export function randomOf(seed: number): Random {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return (((state ^ (state >>> 13)) >>> 0) % 1_000_003) % below;
  };
}

const inserted = [
  ...[
    ':',
    ': ',
    ' ',
    '\n',
    '\t',
    '\u00a0',
    '"',
    "'",
    '{',
    '}',
    '[',
    ']',
    ',',
    '#',
    ' # ',
    '&',
    '*',
    '&a ',
    '*a',
  ],
  ...[
    '!',
    '!!binary ',
    '|',
    '>',
    '- ',
    '-',
    '@',
    '%',
    '`',
    '\\',
    '$',
    '${',
    '}',
    '?',
    '? ',
    '<<: ',
    '=',
    '/',
    'x',
    '&&',
  ],
  ...['\r', '…', '---\n', ':[', ']', '('],
];

/** One wrong edit of the text, usually near a secret. */
export function mutate(text: string, random: Random): string {
  const near = text.split(canary).slice(0, -1).join(canary).length;
  const spots = [...text.matchAll(new RegExp(canary, 'g'))].map(({ index }) => index);
  const spot = spots[random(Math.max(1, spots.length))] ?? near;
  const at = Math.max(
    0,
    Math.min(text.length, random(4) === 0 ? random(text.length) : spot - 24 + random(48)),
  );
  const lineStart = text.lastIndexOf('\n', at - 1) + 1;
  const lineEnd = text.indexOf('\n', at) === -1 ? text.length : text.indexOf('\n', at);
  const line = text.slice(lineStart, lineEnd);
  const put = (start: number, end: number, instead: string): string =>
    text.slice(0, start) + instead + text.slice(end);
  switch (random(11)) {
    case 0:
      return put(at, at + 1, '');
    case 1:
      return put(at, at, inserted[random(inserted.length)] ?? '');
    case 2:
      return put(at, at + 1, inserted[random(inserted.length)] ?? '');
    case 3:
      return put(lineStart, lineStart + random(6), '');
    case 4:
      return put(lineStart, lineStart, ['  ', ' ', '\t', '    ', '- '][random(5)] ?? '');
    case 5:
      return put(
        lineStart,
        lineEnd,
        line.replace(/: ?/, ['', ' : ', ':', ' ', '=', ':\u00a0', ' = '][random(7)] ?? ''),
      );
    case 6:
      return put(lineStart, lineEnd, line.replaceAll(/["']/g, ''));
    case 7:
      return put(lineStart, lineEnd + 1, '');
    case 8:
      return put(lineStart, lineStart, `${line}\n`);
    case 9:
      return put(lineEnd, lineEnd + 1, '');
    default:
      return put(lineStart, lineEnd, line.replaceAll(/[{}[\]]/g, ''));
  }
}
