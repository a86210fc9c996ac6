/** Completes the examples of explanations, which are parts of a configuration, to whole configurations. */
import type { Explanation } from '../read/diagnostics/explanation.js';
import type { FindIncluded } from '../read/config/include/included-files.js';
import type { FindThirdParty } from '../read/openapi/third-party/named-descriptions.js';

/** A whole configuration, with the line (from 0) and indentation at which the part begins. */
export interface WholeExample {
  readonly text: string;
  readonly line: number;
  readonly indent: number;
}

const head = 'specification: "1.0"\n';
const postgres = `  newsdb:
    type: db
    url: jdbc:postgresql://localhost:5432/news
`;
const mysql = `  newsdb:
    type: db
    url: jdbc:mysql://localhost:3306/news
`;
const mariadb = mysql.replace('mysql', 'mariadb');
const api = `  api:
    type: rest
    url: https://api.example.com/v1
`;

/** The text before the part, its indentation, and the text after it. */
type Frame = (part: string) => readonly [before: string, indent: number, after: string];

const newsOfA = `      - name: news
        type: READ
        datasource: newsdb
        instructions:
          - query: SELECT id, title, body, created FROM news WHERE id = :[PARAM(id)]
`;
const newsOfB = `      - name: news
        type: READ
        datasource: newsdb
        queries:
          - query: SELECT id, title, body, created FROM news WHERE id = :[param.id]
`;
const ok = `    responses:
      - name: ok
        default: true
        statuscode: 200
`;
const operation = `${head}operations:\n  'GET /news/{id}':\n`;

/** An exception with this condition. */
const exception = (fulfillments: string): string =>
  `${operation}    fulfillments:\n${fulfillments}        exceptions:\n          - `;

const query =
  (datasource: string, type?: 'UPDATE'): Frame =>
  (part) => {
    const isChange =
      /^\s*(?:INSERT|UPDATE|DELETE|REPLACE|TRUNCATE|CREATE|SET|WITH \w+ AS \((?:INSERT|DELETE))/i.test(part);
    const before = `${head}operations:\n  POST /news:\n    fulfillments:\n      - name: news\n        type: ${type ?? (isChange ? 'UPDATE' : 'READ')}\n        datasource: newsdb\n        instructions:\n          - query: |\n`;
    return [before, 14, `${ok}        schema:\n          news: VALUE(news, $)\ndatasources:\n${datasource}`];
  };

/** Frames by part name. */
const frames: Readonly<Record<string, Frame>> = {
  operations: (part) => {
    const isOfApi = part.includes('datasource: api');
    const database = isOfApi && !part.includes('newsdb') ? '' : postgres;
    return [`${head}operations:\n`, 2, `datasources:\n${database}${isOfApi ? api : ''}`];
  },
  operation: () => [operation, 4, `datasources:\n${postgres}`],
  fulfillments: (part) => {
    const names = part
      .split(/^- /m)
      .filter((item) => item.includes('type: ') && !/type: (?:UPDATE|LOOP|REFERENCE)/.test(item))
      .map((item) => /name: (\S+)/.exec(item)?.[1] ?? '');
    const schema = [...new Set(names)].map((name) => `          ${name}: VALUE(${name}, $)\n`).join('');
    const body = schema === '' ? '' : `        schema:\n${schema}`;
    return [
      `${head}operations:\n  POST /news:\n    fulfillments:\n`,
      6,
      `${ok}${body}datasources:\n${part.includes('datasource: api') ? '' : postgres}${part.includes('datasource: api') ? api : ''}`,
    ];
  },
  query: query(postgres),
  'update-query': query(postgres, 'UPDATE'),
  'mysql-query': query(mysql),
  'mariadb-query': query(mariadb),
  responses: () => [
    `${operation}    fulfillments:\n${newsOfA}    responses:\n`,
    6,
    `datasources:\n${postgres}`,
  ],
  schema: () => [
    `${operation}    fulfillments:\n${newsOfA}${ok}        schema:\n          news: VALUE(news, $)\n`,
    10,
    `datasources:\n${postgres}`,
  ],
  'schema-b': () => [
    `${operation}    fulfillments:\n${newsOfB}${ok}        schema:\n          news: news\n`,
    10,
    `datasources:\n${postgres}`,
  ],
  exception: () => [
    exception(newsOfA),
    12,
    `            statuscode: 404\n            message: Not found\n${ok}        schema:\n          news: VALUE(news, $)\ndatasources:\n${postgres}`,
  ],
  'exception-b': () => [
    exception(newsOfB),
    12,
    `            statuscode: 404\n            message: Not found\n${ok}        schema:\n          news: news\ndatasources:\n${postgres}`,
  ],
  request: () => [
    `${head}operations:\n  POST /news:\n    fulfillments:\n      - name: news\n        type: UPDATE\n        datasource: api\n        instructions:\n          - request:\n`,
    14,
    `${ok}        schema:\n          news: VALUE(news, $)\ndatasources:\n${api}`,
  ],
  datasources: (part) => {
    const used = part.split(/^(?=\S)/m).filter((one) => !one.startsWith('#'));
    const fulfillments = used.map((one, index) => {
      const name = one.slice(0, one.indexOf(':'));
      const action =
        one.includes('rest') && !one.includes('jdbc:')
          ? 'request: { url: /news, httpType: GET }'
          : 'query: SELECT 1 AS id';
      return `      - name: n${index}\n        type: READ\n        datasource: ${name}\n        instructions:\n          - ${action}\n`;
    });
    const schema = used.map((_, index) => `          n${index}: VALUE(n${index}, $)\n`).join('');
    return [
      `${head}operations:\n  GET /news:\n    fulfillments:\n${fulfillments.join('')}${ok}        schema:\n${schema}datasources:\n`,
      2,
      '',
    ];
  },
};

/** Finds the third-party description that belongs to an example. */
export function thirdPartyOf({ api }: Pick<Explanation, 'api'>): FindThirdParty {
  return (file) =>
    api === undefined || file !== 'api.yaml'
      ? undefined
      : { source: { path: file, text: api }, read: () => undefined };
}

/** Finds the included file that belongs to an example, `operations/news.yaml`. */
export function includedOf({ included }: Pick<Explanation, 'included'>): FindIncluded {
  const name = 'operations/news.yaml';
  return (pattern) =>
    included === undefined || !pattern.startsWith('operations/')
      ? []
      : [{ name, id: name, read: () => ({ path: name, text: included }) }];
}

/** The names of all parts except `file`. */
export const parts: readonly string[] = Object.keys(frames);

/** The configuration that contains a part; a whole file is returned unchanged. */
export function wholeExample({ part }: Pick<Explanation, 'part'>, text: string): WholeExample {
  const frame = frames[part];
  if (frame === undefined) return { text, line: 0, indent: 0 };
  const [before, indent, after] = frame(text);
  // Conditions follow a dash on the same line.
  const isInline = !before.endsWith('\n');
  const indented = text.replaceAll(/^(?=.)/gm, ' '.repeat(indent));
  return {
    text: `${before}${isInline ? indented.slice(indent) : indented}${after}`,
    line: before.split('\n').length - 1,
    indent,
  };
}

/** The configuration that belongs to an API description, for examples of the part `openapi`. */
export const describedExample = wholeExample(
  { part: 'operation' },
  `fulfillments:
  - name: news
    type: READ
    datasource: newsdb
    instructions:
      - query: SELECT id, title FROM news WHERE id = :[PARAM(id)]
responses:
  - name: ok
    default: true
    statuscode: 200
    schema:
      id: VALUE(news, $.id)
      title: VALUE(news, $.title)
`,
).text;

/** The configuration that includes a file, for examples of the part `included`. */
export const includingExample = `${head}include: [operations/*.yaml]\ndatasources:\n${postgres}`;
