/** Generated code for expressions that do not occur in fixtures. */
import { expect, test } from 'vitest';
import { filesOf, textOf } from './compile-text.js';

/** The code of each expression in a response body, found in the lines of the handler. */
async function codeOf(expressions: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const files = await filesOf({
    specification: '1.0',
    operations: {
      'GET /a': {
        fulfillments: [
          {
            ...{ name: 'selectRows', type: 'READ', datasource: 'db' },
            instructions: [{ query: 'SELECT a FROM t' }],
          },
        ],
        responses: [{ name: 'ok', default: true, statuscode: 200, schema: expressions }],
      },
    },
    datasources: { db: { type: 'db', url: 'jdbc:postgresql://localhost/db' } },
  });
  return fieldsIn(textOf(files, 'src/operations/get-a.ts'));
}

function fieldsIn(code: string): Record<string, string> {
  return Object.fromEntries(
    [...code.matchAll(/^\s+(\w+): (.*),$/gm)].map(([, name = '', value = '']): [string, string] => [
      name,
      value,
    ]),
  );
}

test('COALESCE leaves out what is always null, and ends with the first value that never is', async () => {
  const code = await codeOf({
    nothing: 'COALESCE(NULL(), NULL())',
    second: 'COALESCE(NULL(), PARAM(x))',
    others: 'COALESCE(PARAM(x), NULL(), PARAM(y))',
    text: 'COALESCE(HEADER(x), TEXT(a))',
    row: 'COALESCE(PARAM(x), VALUE(selectRows, $[0]))',
    rows: 'COALESCE(VALUE(selectRows, $[0]), VALUE(selectRows, $[1].a))',
  });
  expect(code).toMatchObject({
    nothing: 'null',
    second: 'x',
    others: "x ?? call.param('y')",
    text: "call.header('x') ?? 'a'",
    row: 'x ?? selectRows[0] ?? null',
    rows: 'selectRows[0] ?? selectRows[1]?.a ?? null',
  });
});

test('an error as a whole, and what it has no field for', async () => {
  const files = await filesOf({
    specification: '1.0',
    operations: {
      'GET /a': { responses: [{ name: 'ok', default: true, statuscode: 200, schema: { a: 'TEXT(a)' } }] },
    },
    settings: {
      errors: [
        {
          schema: {
            all: 'ERROR($)',
            first: 'ERROR($[0])',
            every: 'ERROR($.faults[*].message)',
            below: 'ERROR($.status.a)',
            either: 'COALESCE(ERROR($.code), ERROR($.message))',
          },
        },
      ],
    },
  });
  expect(fieldsIn(textOf(files, 'src/errors.ts'))).toMatchObject({
    all: 'error',
    first: 'get(error, 0)',
    every: "get(error.faults, every, 'message')",
    below: "get(error.status, 'a')",
    either: 'error.code ?? error.message',
  });
});
