/** The arguments for the next page have the types of the schema, which clients check. */
import { expect, test } from 'vitest';
import { resultOfResponse } from '../../../runtime/mcp/tool-result.js';
import type { Tool } from '../../../runtime/mcp/tool.js';

const tool: Tool = {
  operation: 'GET /a',
  name: 'a',
  description: 'A',
  annotations: {},
  arguments: [
    { name: 'ids', in: 'query', list: ',' },
    { name: 'tag', in: 'query' },
    { name: 'where', in: 'query', list: 'json' },
    { name: 'open', in: 'query' },
    { name: 'limit', in: 'query' },
    { name: 'id', in: 'query' },
    { name: 'word', in: 'query' },
  ],
  inputSchema: {
    type: 'object',
    properties: {
      ids: { type: 'array', items: { type: 'integer' } },
      tag: { type: 'array', items: { type: 'string' } },
      where: { type: 'object' },
      open: { type: ['boolean', 'null'] },
      limit: { type: 'integer' },
      id: { type: 'integer' },
      word: { type: 'string' },
    },
  },
};

test.each([
  ['ids=1,2', { ids: [1, 2] }],
  ['ids=7', { ids: [7] }],
  ['tag=1', { tag: ['1'] }],
  ['tag=a&tag=b', { tag: ['a', 'b'] }],
  ['where=%7B%22a%22%3A1%7D', { where: { a: 1 } }],
  ['where=a', { where: 'a' }],
  ['open=true', { open: true }],
  ['open=1', { open: '1' }],
  ['limit=2&word=2', { limit: 2, word: '2' }],
  ['id=9007199254740993', { id: '9007199254740993' }],
  ['limit=', {}],
])('%s', (query, next) => {
  const response = { status: 200, headers: {}, body: [1], next: `/a?${query}` };
  const { structuredContent } = resultOfResponse(tool, response);
  expect(structuredContent).toEqual({ items: [1], next });
});
