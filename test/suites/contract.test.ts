/** The suites' validating client detects contradictions of a description. */
import { expect, test } from 'vitest';
import { Contract } from './contract.js';

const contract = new Contract(`
openapi: 3.0.3
paths:
  /pots/{id}:
    get:
      responses:
        '200': { $ref: '#/components/responses/Pot' }
        '204': { description: nothing }
        4XX: { content: { application/problem+json: { schema: { type: object, required: [title] } } } }
  /pots/last:
    get:
      responses:
        default: { content: { text/plain: { schema: { type: string } } } }
components:
  responses:
    Pot: { content: { application/json: { schema: { $ref: '#/components/schemas/Pot' } } } }
  schemas:
    Pot:
      type: object
      required: [id, kiln]
      properties:
        id: { type: integer, minimum: 0, exclusiveMinimum: true }
        kiln: { type: string, nullable: true }
`);

const json = 'application/json; charset=utf-8';
const problem = 'application/problem+json';

test.each([
  ['/pots/1', 200, json, '{"id":1,"kiln":null}', []],
  ['/pots/1', 200, json, '{"id":0,"kiln":null}', ['/id must be > 0: {"id":0,"kiln":null}']],
  ['/pots/1', 200, json, '{"id":1}', [`must have required property 'kiln': {"id":1}`]],
  ['/pots/1', 200, 'text/html', '', ['200 is text/html instead of application/json']],
  ['/pots/1', 204, json, '', []],
  ['/pots/1', 204, json, '{}', ['204 has a body: {}']],
  ['/pots/1', 404, problem, '{"title":"x"}', []],
  ['/pots/1', 404, problem, '{}', ["must have required property 'title': {}"]],
  ['/pots/1', 500, json, '{}', ['500 is not described: {}']],
  ['/pots/last', 500, 'text/plain', 'x', []],
  ['/pots', 200, json, '[]', ['GET /pots is not described']],
])('%s %i %s %s', (path, status, type, text, expected) => {
  const found = contract.violations('GET', path, {
    status,
    text,
    headers: new Headers({ 'content-type': type }),
  });
  expect(found.map((one) => one.trim())).toEqual(expected);
});
