/** src/described.ts contains only the parts of a third party's responses that operations read, however large the schemas are. */
import { describe, expect, test } from 'vitest';
import { compile } from '../../compiler/compile.js';
import { readAssets } from '../../compiler/generate/assets.js';
import { repository } from '../helpers/service-fixture.js';

/** The module for a configuration that reads the response with these expressions. */
async function described(schema: string, components: string, reads: string, loops = ''): Promise<string> {
  const config = `specification: "1.0"
operations:
  GET /it:
    fulfillments:
      - name: it
        type: READ
        datasource: api
        instructions: [{ request: { url: /it, httpType: GET } }]
${loops}    responses:
      - name: ok
        default: true
        statuscode: 200
        schema:
${reads}
datasources:
  api: { type: rest, url: https://api.example.com, description: api.yaml }
`;
  const api = `openapi: 3.1.0
paths:
  /it:
    get:
      responses:
        200: { content: { application/json: { schema: ${schema} } } }
components:
  schemas:
${components}
`;
  const found = await compile(
    {
      config: { path: 'config.yaml', text: config },
      thirdParty: (path) => ({ source: { path, text: api }, read: () => undefined }),
    },
    readAssets(repository),
  );
  expect(found.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  const text = found.files?.find(({ path }) => path === 'src/described.ts')?.text ?? '';
  return text
    .slice(text.indexOf("'200'"))
    .replace(/\}\),\n\};\n$/, '')
    .replaceAll(/\s+/g, ' ');
}

const node = `    Node:
      type: object
      required: [id, secret, children, parent]
      properties:
        id: { type: string, pattern: '^a', minLength: 2, readOnly: true }
        secret: { type: string, writeOnly: true }
        kind: { enum: [a, b] }
        parent: { anyOf: [{ type: string }, { $ref: '#/components/schemas/Node' }] }
        children: { type: array, uniqueItems: true, items: { $ref: '#/components/schemas/Node' } }
        labels: { type: object, additionalProperties: { type: string } }
        mixed: { allOf: [{ $ref: '#/components/schemas/Node' }, { type: object, properties: { more: { type: boolean } } }] }
`;
const ref = "{ $ref: '#/components/schemas/Node' }";

describe('the parts that are read', () => {
  test('of a model that holds itself', async () => {
    const reads =
      '          a: VALUE(it, $.children[0].children[0].id)\n          b: VALUE(it, $.parent.kind)';
    expect(await described(ref, node, reads)).toBe(
      `'200': object({ parent: required( anyOf( string(), object({ kind: enumOf('a', 'b'), }), ), ), children: required( array( object({ children: required( array( object({ id: required(string({ minLength: 2 })), }), ), ), }), ), ), }), `,
    );
  });

  test('in loops, lists and maps', async () => {
    const loops = `      - name: one
        type: LOOP
        loop: VALUE(it, $.children)
        fulfillments:
          - name: two
            type: READ
            datasource: api
            if: VALUE(one, $.labels.colour) == TEXT(red)
            instructions: [{ request: { url: "/it?id=:[VALUE(one, $.kind)]", httpType: GET } }]
`;
    const reads = `          list:
            list: VALUE(it, $.children)
            item: { more: "VALUE(@, $.mixed.more)" }
          all: VALUE(it, $.children[*].id)`;
    expect(await described(ref, node, reads, loops)).toContain(
      `children: required( array( object({ id: required(string({ minLength: 2 })), kind: enumOf('a', 'b'), labels: object({ colour: string(), }), mixed: allOf( object({}), object({ more: boolean(), }), ), }), ), ),`,
    );
  });

  test('of a value that is passed on as a whole are those of some levels, and not the rest of the API', async () => {
    const wide = `    Wide:
      type: object
      properties:
${Array.from({ length: 100 }, (_, index) => `        p${index}: { $ref: '#/components/schemas/Wide' }`).join('\n')}
`;
    const text = await described("{ $ref: '#/components/schemas/Wide' }", wide, '          it: VALUE(it, $)');
    expect(text.split('object(').length).toBeLessThan(210);
    expect(text).toContain('p99: object(');
  });
});

test('there is none where nothing of a response is read', async () => {
  expect(await described(ref, node, '          status: STATUS(it)')).toBe('');
});
