/** The snippets of the extension for VS Code: inserted into a configuration, each one compiles without a diagnostic. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Workspace } from '../commands/workspace.js';
import { repository } from '../helpers/service-fixture.js';

interface Snippet {
  readonly prefix: string;
  readonly description: string;
  readonly body: readonly string[];
}

const path = 'compiler/tools/editor/vscode/snippets.json';
const snippets = JSON.parse(readFileSync(join(repository, path), 'utf8')) as Record<string, Snippet>;

/** The text that VS Code inserts if every placeholder keeps its default. */
function inserted({ body }: Snippet, indentation: number): string {
  const text = body
    .join('\n')
    .replaceAll(/\$\{\d+:((?:[^\\}]|\\.)*)\}|\$\d+/g, (_, value: string | undefined) => value ?? '')
    .replaceAll(/\\([$}\\])/g, '$1');
  return text.replaceAll(/^(?=.)/gm, ' '.repeat(indentation));
}

const datasources = `datasources:
  newsdb: { type: db, url: 'jdbc:postgresql://localhost/news' }
`;

const read = `      - name: news
        type: READ
        datasource: newsdb
`;
const readInA = `${read}        instructions:
          - query: SELECT id, title FROM news WHERE id = :[PARAM(id)]
`;
const readInB = `${read}        queries:
          - query: SELECT id, title FROM news WHERE id = :[param.id]
`;
const notFound = `        exceptions:
          - { if: news == null, statuscode: 404, message: Not found }
`;
const noContent = `    responses:
      - { name: ok, default: true, statuscode: 204 }
`;

/** A configuration with a snippet at its place. */
const places: Readonly<Record<string, (snippet: Snippet) => string>> = {
  'apikiln-operation': (snippet) => inserted(snippet, 2),
  'apikiln-operation-b': (snippet) => inserted(snippet, 2),
  'apikiln-read': (snippet) => `${withSteps('GET /news/{id}', inserted(snippet, 6))}
    responses:
      - { name: ok, default: true, statuscode: 200, schema: 'VALUE(news, $)' }`,
  'apikiln-read-b': (snippet) => `${withSteps('GET /news/{id}', inserted(snippet, 6))}
    responses:
      - { name: ok, default: true, statuscode: 200, schema: news }`,
  'apikiln-update': (snippet) => `${withSteps('PUT /news/{id}', inserted(snippet, 6))}\n${noContent}`,
  'apikiln-update-b': (snippet) => `${withSteps('PUT /news/{id}', inserted(snippet, 6))}\n${noContent}`,
  'apikiln-loop': (snippet) => `${withSteps('POST /news', inserted(snippet, 6))}\n${noContent}`,
  'apikiln-response': (snippet) =>
    `${withSteps('GET /news/{id}', readInA)}    responses:\n${inserted(snippet, 6)}`,
  'apikiln-response-b': (snippet) =>
    `${withSteps('GET /news/{id}', readInB)}${notFound}    responses:\n${inserted(snippet, 6)}
    mappings:
      News: { id: news.id, title: news.title }`,
  'apikiln-exception': (snippet) =>
    `${withSteps('GET /news/{id}', readInA)}${inserted(snippet, 8)}\n${noContent}`,
  'apikiln-exception-b': (snippet) =>
    `${withSteps('GET /news/{id}', readInB)}${inserted(snippet, 8)}\n${noContent}`,
  'apikiln-timer': (snippet) => inserted(snippet, 2),
};

function withSteps(operation: string, steps: string): string {
  return `  '${operation}':\n    fulfillments:\n${steps}`;
}

const schema = `CREATE TABLE news (
  id serial PRIMARY KEY,
  title text NOT NULL,
  created timestamptz NOT NULL DEFAULT now()
);
`;

const model = '{ type: object, properties: { id: { type: integer }, title: { type: string } } }';

/** Needed by mappings. */
const description = `openapi: 3.0.3
info: { title: News, version: 1.0.0 }
paths:
  /news/{id}:
    get:
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses:
        '200':
          description: One news
          content: { application/json: { schema: { $ref: '#/components/schemas/News' } } }
        '404': { description: Not found }
components: { schemas: { News: ${model} } }
`;

test.each(Object.entries(snippets))('%s compiles', async (_, snippet) => {
  const place = places[snippet.prefix];
  if (place === undefined) throw new Error(`${snippet.prefix} has no place in a configuration.`);
  const text = `specification: "1.0"\noperations:\n${place(snippet).trimEnd()}\n${datasources}`;
  const workspace = new Workspace();
  try {
    workspace.write('config.yaml', text);
    workspace.write('schema.sql', schema);
    if (/mappings:/.test(text)) workspace.write('openapi.yaml', description);
    const { status, stderr } = await workspace.check();
    expect({ status, stderr }, text).toEqual({ status: 0, stderr: 'config.yaml is fine.\n' });
  } finally {
    workspace.remove();
  }
});

test('every place belongs to a snippet', () => {
  expect(Object.values(snippets).map(({ prefix }) => prefix)).toEqual(Object.keys(places));
});
