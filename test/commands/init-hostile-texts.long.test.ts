/** `apikiln init` with each hostile name at all positions of a description: the result has the structure of a harmless description. */
import { expect, test } from 'vitest';
import { runs } from '../helpers/runs.js';
import { hostileNames } from './hostile-names.js';
import { json, written } from './written-shape.js';

/** A description with the text at many positions. */
function descriptionWith(text: string): object {
  const row = {
    type: 'object',
    required: ['id', text],
    properties: {
      id: { type: 'integer' },
      [text]: { type: 'string' },
      kind: { type: 'string', enum: [text, 'other'], default: text },
      note: { type: 'string', default: text },
    },
  };
  const query = (name: string, schema: object = { type: 'string' }, required = false) => ({
    ...{ name, in: 'query', schema, required },
  });
  return {
    ...{ openapi: '3.1.0', info: { title: text, version: text } },
    servers: [{ url: 'https://a.example/v1', description: text }],
    paths: {
      '/rows': {
        get: {
          summary: text,
          parameters: [
            query('kind', { type: 'string', enum: [text, 'other'] }),
            query('sort', { type: 'string', enum: ['id', '-id', text] }),
            query('limit', { type: 'integer' }),
          ],
          responses: { 200: json({ type: 'array', items: row }) },
        },
        post: {
          requestBody: { required: true, content: { 'application/json': { schema: row } } },
          responses: { 201: json(row) },
        },
      },
      '/rows/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        get: { responses: { 200: json(row) } },
        delete: { responses: { 204: { description: text } } },
        patch: {
          requestBody: { required: true, content: { 'application/json': { schema: row } } },
          responses: { 200: json(row) },
        },
      },
      '/others': {
        get: {
          parameters: [
            query(text, { type: 'string', default: text }, true),
            query('mode', { type: 'string', enum: [text] }, true),
            { name: 'X-H', in: 'header', required: true, schema: { type: 'string', enum: [text] } },
          ],
          responses: { 200: json({ type: 'array', items: { type: 'object', properties: { [text]: {} } } }) },
        },
      },
      [`/${text}`]: { get: { responses: { 200: json(row) } } },
    },
    components: {
      schemas: { [text.replaceAll(/[^\w.-]/g, '') || 'x']: row },
      securitySchemes: { key: { type: 'apiKey', in: 'query', name: text } },
    },
  };
}

/** The long run tries all hostile names. */
const some = hostileNames.filter((_, index) => index % runs(12, 1) === 0);

test.each(some)('%j at every position of a description', async (text) => {
  for (const options of [[], ['--syntax', 'b', '--database', 'mysql'], ['--as', 'pay']]) {
    const plain = await written(descriptionWith('plain'), ...options);
    expect(plain.refused).toBe('');
    const hostile = await written(descriptionWith(text), ...options);
    expect(hostile.refused).toMatch(/^(?:Nothing was written, because .*\n)?$/);
    const known = [...plain.operations, `GET /${text}`];
    // Paths are percent-encoded, as in requests.
    const isKnown = (name: string): boolean => known.includes(name) || known.includes(decodeURI(name));
    expect(hostile.operations.filter((name) => !isKnown(name))).toEqual([]);
    expect(hostile.variables.filter((name) => !plain.variables.includes(name))).toEqual([]);
  }
});
