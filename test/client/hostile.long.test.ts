/** Strings of configurations and descriptions never become code of a client. */
import { describe, expect, test } from 'vitest';
import { canary, hostileTexts } from '../emit/hostile.js';
import { everyOf } from '../helpers/runs.js';
import { typeErrors } from '../helpers/type-check.js';
import { clientOf, loadClient, strictOptions } from './client-module.js';

const each = everyOf(3);
const texts = hostileTexts.filter((text, index) => index % each === 0 && text.trim() !== '');

const options = { path: 'tsconfig.json', text: JSON.stringify({ compilerOptions: strictOptions }) };

const positions = [
  ...['operationId', 'summary', 'parameter', 'parameterDescription', 'header', 'enum', 'property'],
  ...['propertyDescription', 'model', 'modelDescription', 'segment', 'authentication', 'key', 'basePath'],
] as const;
type Position = (typeof positions)[number];

const plain: Readonly<Record<Position, string>> = {
  ...{ operationId: 'find', summary: 'Finds it', parameter: 'q', parameterDescription: 'Words' },
  ...{ header: 'X-Trace', enum: 'word', property: 'title', propertyDescription: 'A title' },
  ...{ model: 'News', modelDescription: 'An article', segment: 'news' },
  ...{ authentication: 'users', key: 'X-Key', basePath: 'v1' },
};

function clientWith(changed: Partial<Record<Position, string>>) {
  const text = { ...plain, ...changed };
  const path = `/${text.segment}/{id}`;
  const news = {
    type: 'object',
    description: text.modelDescription,
    required: [text.property],
    properties: {
      [text.property]: { type: 'string', enum: [text.enum, 'other'], description: text.propertyDescription },
    },
  };
  const reference = {
    $ref: `#/components/schemas/${text.model.replaceAll('~', '~0').replaceAll('/', '~1')}`,
  };
  const content = { 'application/json': { schema: reference } };
  const description = {
    openapi: '3.1.0',
    info: { title: 'News', version: '1' },
    paths: {
      [path]: {
        post: {
          operationId: text.operationId,
          summary: text.summary,
          parameters: [
            { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
            {
              name: text.parameter,
              in: 'query',
              description: text.parameterDescription,
              schema: { type: 'string' },
            },
            { name: text.header, in: 'header', schema: { type: 'string' } },
          ],
          requestBody: { required: true, content },
          responses: { 200: { description: 'ok', content } },
        },
      },
    },
    components: { schemas: { [text.model]: news } },
  };
  const config = {
    specification: '1.0',
    operations: {
      [`POST ${path}`]: {
        fulfillments: [
          { name: 'one', type: 'READ', datasource: 'db', instructions: [{ query: 'SELECT 1 AS id' }] },
        ],
        responses: [
          { name: 'ok', default: true, statuscode: 200, schema: { [text.property]: 'TEXT(other)' } },
        ],
      },
    },
    datasources: { db: { type: 'db', url: 'jdbc:postgresql://localhost:5432/db' } },
    authentications: {
      [text.authentication]: {
        type: 'apikey',
        header: text.key,
        keys: { one: '0123456789abcdef0123456789abcdef' },
      },
    },
    settings: { basePath: `/${text.basePath}` },
  };
  return clientOf(
    {
      config: { path: 'config.yaml', text: JSON.stringify(config) },
      description: {
        source: { path: 'openapi.json', text: JSON.stringify(description) },
        read: () => undefined,
      },
      ownHeaders: new Set(),
    },
    { ask: () => Promise.resolve(undefined) } as never,
  );
}

/** The declarations of a module, without their names. */
function declarations(text: string): string[] {
  return text.match(/^(?:export )?(?:async )?(?:function\*?|interface|type|class|const)\b/gm) ?? [];
}

describe.each(positions)('%s', (position) => {
  test('never becomes code', async () => {
    const usual = declarations((await clientWith({})).text);
    const written: { name: string; files: { path: string; text: string }[] }[] = [];
    for (const [index, hostile] of texts.entries()) {
      const planned = await clientWith({ [position]: hostile }).catch(() => undefined);
      if (planned === undefined) continue;
      expect(declarations(planned.text), hostile).toEqual(usual);
      written.push({
        name: `text-${index}`,
        files: [options, { path: 'src/client.ts', text: planned.text }],
      });
      const client = await loadClient(`hostile-${position}`, planned.text);
      const [operation] = planned.plan.operations;
      const sent: Request[] = [];
      const send = (request: Request): Promise<Response> => {
        sent.push(request);
        const body = JSON.stringify({ [position === 'property' ? hostile : 'title']: 'other' });
        return Promise.resolve(new Response(body, { headers: { 'content-type': 'application/json' } }));
      };
      const query = operation?.inputs.find(({ place }) => place === 'query');
      const input = { id: 7, [query?.key ?? '']: 'x&y=z', body: {} };
      await client[operation?.name ?? '']?.({ baseUrl: 'http://localhost', fetch: send }, input);
      const { pathname, searchParams } = new URL(sent[0]?.url ?? '');
      if (position === 'parameter')
        expect([...searchParams]).toEqual([[Buffer.from(hostile).toString(), 'x&y=z']]);
      else expect([...searchParams.values()], `${hostile} ${pathname}`).toEqual(['x&y=z']);
    }
    expect(written.length).toBeGreaterThan(0);
    expect(Object.hasOwn(globalThis, canary)).toBe(false);
    expect(typeErrors(written, (path) => path === 'src/client.ts')).toEqual([]);
  });
});
