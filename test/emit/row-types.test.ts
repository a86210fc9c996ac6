/** Row types of columns that the schema alone does not determine: COUNT, names inherited from Object.prototype, ranges. */
import { expect, test } from 'vitest';
import { SchemaDatabases } from '../../compiler/analyze/database/schema-databases.js';
import { compile, type Compilation } from '../../compiler/compile.js';
import { buildServices } from '../helpers/service-build.js';
import { assets, textOf } from './compile-text.js';

const sources = [
  { path: 'schema.sql', text: 'CREATE TABLE slot (id int PRIMARY KEY, days int4range NOT NULL)' },
];

function compiled(query: string, item: Readonly<Record<string, string>>): Promise<Compilation> {
  const config = {
    specification: '1.0',
    operations: {
      'GET /a': {
        fulfillments: [{ name: 'a', type: 'READ', datasource: 'db', instructions: [{ query }] }],
        responses: [{ name: 'ok', default: true, statuscode: 200, schema: { list: 'VALUE(a, $)', item } }],
      },
    },
    datasources: { db: { type: 'db', url: 'jdbc:postgresql://localhost/x' } },
  };
  const databases = new SchemaDatabases(() => ({ kind: 'schema', sources }));
  const text = JSON.stringify(config);
  return compile({ config: { path: 'config.yaml', text } }, assets, undefined, databases);
}

test('COUNT is never null, ranges are strings, and any name is a name', async () => {
  const { files = [] } = await compiled(
    'SELECT count(*) AS n, count(id) FILTER (WHERE id > 1) AS some, count(*) + 1 AS more, days, 1 AS "constructor", 2 AS "__proto__" FROM slot GROUP BY days',
    {
      n: 'VALUE(@, $.n)',
      maker: 'VALUE(@, $.constructor)',
      proto: 'VALUE(@, $.__proto__)',
      text: 'CONCAT(TEXT(n), VALUE(@, $.n))',
    },
  );
  const text = textOf(files, 'src/operations/get-a.ts');
  expect(/export type ARow[^]*?};/.exec(text)?.[0]).toMatchInlineSnapshot(`
    "export type ARow = {
      n: ExactNumber;
      some: ExactNumber;
      more: ExactNumber | null;
      days: string;
      constructor: number | null;
      ['__proto__']: number | null;
    };"
  `);
  expect(/a\.map[^]*?\}\)\)/.exec(text)?.[0]).toMatchInlineSnapshot(`
    "a.map((item) => ({
          n: item.n,
          maker: get(item, 'constructor'),
          proto: get(item, '__proto__'),
          text: \`n\${item.n}\`,
        }))"
  `);
  // TypeScript accepts the types, too.
  buildServices('row-types', [{ name: 'rows', files }]);
});

test('a number that is passed where a range is expected is an error with the cast', async () => {
  const { diagnostics } = await compiled('SELECT id FROM slot WHERE days @> :[INTEGER(5)]', {
    id: 'VALUE(@, $.id)',
  });
  expect(diagnostics.map(({ code, message, hint }) => [code, message, hint])).toMatchInlineSnapshot(`
    [
      [
        "value-never-fits",
        "This value never matches the type int4range.",
        "Write a range as a string, such as '[1,5)', or cast the value to the type of the range's elements: :[…]::int4.",
      ],
    ]
  `);
});
