/** User code is parsed like TypeScript does: comments and strings are not code, and a module with errors is parsed as far as possible. */
import { describe, expect, test } from 'vitest';
import { exportOf } from '../../compiler/tools/typescript/exported-function.js';
import {
  importsOfUserCode,
  ownImportsIn,
  stringsIn,
} from '../../compiler/tools/typescript/module-imports.js';
import { treeOf } from '../../compiler/tools/typescript/module-tree.js';
import { variablesIn } from '../../compiler/tools/typescript/read-variables.js';
import { headersSetIn } from '../../compiler/tools/typescript/set-headers.js';

/** Text that contains the code without executing it. */
const quoted = (code: string): string => `// ${code}
/*
${code}
*/
const text = ${JSON.stringify(code)};
const template = \`
${code.replaceAll('`', '')}
\`;
`;

/** Too deep for a recursive parser. */
const deep = `export const sum = ${'1 + '.repeat(20_000)}1;\n`;
const deeper = `export const list = ${'['.repeat(20_000)}${']'.repeat(20_000)};\n`;

describe('imports', () => {
  const imports = (text: string, path = 'src/app.ts'): Record<string, string[]> =>
    Object.fromEntries(
      importsOfUserCode({ path, text }).map(({ specifier, names }) => [
        specifier,
        names.map(({ name, isType }) => (isType ? `type ${name}` : name)),
      ]),
    );
  const runtime = '@apikiln/runtime';

  test.each<[string, string, Record<string, string[]>]>([
    ['names', `import { fail, type Call } from '${runtime}';`, { [runtime]: ['fail', 'type Call'] }],
    [
      'several lines',
      `import {\n  fail, // a comment\n  reply as send,\n} from "${runtime}";`,
      { [runtime]: ['fail', 'reply'] },
    ],
    [
      'in a line after another statement',
      `let a = 1; import { fail } from '${runtime}';`,
      { [runtime]: ['fail'] },
    ],
    ['types alone', `import type { Call } from '${runtime}';`, { [runtime]: ['type Call'] }],
    [
      'a default and names',
      "import express, { type Express } from 'express';",
      { express: ['type Express'] },
    ],
    ['for its effect', "import 'express';", { express: [] }],
    ['exports', `export { fail as refuse } from '${runtime}';`, { [runtime]: ['fail'] }],
    ['all exports', "export * from './context.js';", { 'src/context': [] }],
    [
      'a namespace',
      `import * as runtime from '${runtime}';\nruntime.fail(404, '');\nlet call: runtime.Call;`,
      { [runtime]: ['fail', 'type Call'] },
    ],
    [
      'import() of names',
      `const { fail, reply: send } = await import('${runtime}');`,
      { [runtime]: ['fail', 'reply'] },
    ],
    [
      'import() as a whole',
      `const runtime = await import(\`${runtime}\`);\nruntime.fail(404, '');`,
      { [runtime]: ['fail'] },
    ],
    ['import() of a member', `(await import('${runtime}')).fail(404, '');`, { [runtime]: ['fail'] }],
    ['import() and then', `import('${runtime}').then(({ fail }) => fail(404, ''));`, { [runtime]: ['fail'] }],
    ['a type of import()', `let call: import('${runtime}').Call<string>;`, { [runtime]: ['type Call'] }],
    ['comments and texts', quoted(`import { fail } from '${runtime}';`), {}],
    [
      'code with a mistake',
      `const a = ;\nimport { fail } from '${runtime}';\nfunction (`,
      { [runtime]: ['fail'] },
    ],
    ['deep code', `import { fail } from '${runtime}';\n${deep}`, { [runtime]: ['fail'] }],
    ['code that is too deep', deeper, {}],
  ])('%s', (_, text, expected) => {
    expect(imports(text)).toEqual(expected);
  });

  test('a module of the service is named from its folder', () => {
    expect(imports("import { contextOf } from '../context.js';", 'src/code/priceOf.ts')).toEqual({
      'src/context': ['contextOf'],
    });
  });

  test('a compilation asks for the context first, and for the others where it writes a service', () => {
    const asked = (...files: (readonly [string, string])[]) => {
      const { hasOwnRoutes, ownImports } = ownImportsIn(files.map(([path, text]) => ({ path, text })));
      return { hasOwnRoutes, specifiers: ownImports().map(({ specifier }) => specifier) };
    };
    const app = [
      'src/app.ts',
      "import express from 'express';\nimport { contextOf } from './context.js';\n",
    ] as const;
    expect(asked(app)).toEqual({ hasOwnRoutes: true, specifiers: ['express', 'src/context'] });
    // A user module with the name of the generated one.
    expect(asked(app, ['src/context.ts', 'export const contextOf = 1;\n']).hasOwnRoutes).toBe(false);
    expect(asked(['src/app.ts', "// import './context.js' of '@apikiln/runtime'\n"])).toEqual({
      hasOwnRoutes: false,
      specifiers: [],
    });
  });

  test('strings are those of code, also where they name the module of a thread', () => {
    const text =
      "// './no.js'\nnew Worker(new URL('./work.js', import.meta.url));\nconst a = `./template.js`;\n";
    expect(stringsIn({ path: 'src/app.ts', text })).toEqual(['./work.js', './template.js']);
  });
});

describe('the exported function', () => {
  const found = (text: string, others: Readonly<Record<string, string>> = {}): string | undefined => {
    const files = Object.entries({ 'src/code/priceOf.ts': text, ...others });
    const { source, start } =
      exportOf(
        'priceOf',
        files.map(([path, file]) => ({ path, text: file })),
      ) ?? {};
    return source && `${source.path} ${source.text.slice(start).split('\n')[0] ?? ''}`;
  };
  const own = (rest: string): string => `src/code/priceOf.ts ${rest}`;

  test.each([
    ['a function', 'export function priceOf() {}', 'priceOf() {}'],
    ['an asynchronous function', 'export async function priceOf() {}', 'priceOf() {}'],
    ['a generator', 'export function* priceOf() {}', 'priceOf() {}'],
    ['a constant', 'export const priceOf = async () => 1;', 'priceOf = async () => 1;'],
    [
      'several lines',
      'export\n  const\n    priceOf: (a: number) => number\n  = (a) => a;',
      'priceOf: (a: number) => number',
    ],
    ['one of several', 'export const a = 1, priceOf = () => 1;', 'priceOf = () => 1;'],
    ['a pattern', 'export const { a, b: { priceOf } } = prices;', 'priceOf } } = prices;'],
    [
      'overloads',
      'export function priceOf(a: 1): 1;\nexport function priceOf(a: number): number { return a; }',
      'priceOf(a: 1): 1;',
    ],
    ['a list', 'const priceOf = () => 1;\nexport { a, priceOf };', 'priceOf };'],
    ['another name', 'export { price as priceOf };', 'priceOf };'],
    ['of another module', "export { price as priceOf } from './prices.js';", "priceOf } from './prices.js';"],
    ['after a mistake', 'const a = ;\nexport const priceOf = () => 1', 'priceOf = () => 1'],
  ])('%s', (_, text, rest) => {
    expect(found(`/** priceOf */\n${text}\n`)).toBe(own(rest));
  });

  test.each([
    ['it is not exported', 'function priceOf() {}'],
    ['it has another name outside', 'export { priceOf as price };'],
    ['it is the default', 'export default function priceOf() {}'],
    [
      'it is a type',
      'export type priceOf = 1;\nexport type { priceOf } from "./a.js";\nexport { type priceOf };',
    ],
    ['it is declared alone', 'export declare function priceOf(): void;'],
    ['it is in comments and strings', quoted('export function priceOf() {}')],
    ['the module is too deep', deeper],
  ])('is not there where %s', (_, text) => {
    expect(found(text)).toBeUndefined();
  });

  test('is in the module of which all is exported', () => {
    expect(
      found("export * from './a.js';\nexport * from '../prices.js';\n", {
        // A cyclic import.
        'src/code/a.ts': "export * from './priceOf.js';\n",
        'src/prices.ts': 'export const priceOf = () => 1;\n',
      }),
    ).toBe('src/prices.ts priceOf = () => 1;');
    expect(
      found("export type * from './a.js';", { 'src/code/a.ts': 'export const priceOf = 1;' }),
    ).toBeUndefined();
  });
});

describe('headers of requests', () => {
  test.each([
    ['a member', "request.headers.user = 'a';", ['user']],
    [
      'a quoted member',
      "request.headers['x-user'] ??= `a`;\nreq['headers'][`x-b`] ||= 'b';",
      ['x-user', 'x-b'],
    ],
    [
      'asserted types',
      "(request as any).headers!['x-user'] = 'a';\n(request.headers as Headers).b = '';",
      ['x-user', 'b'],
    ],
    ['a constant', "const name = 'x-user' as const;\nrequest.headers[name] = 'a';", ['x-user']],
    [
      'a constant of the function',
      "const f = (r: Request) => {\n  const name = 'x-user';\n  r.headers[name] = 'a';\n};",
      ['x-user'],
    ],
    [
      'a name that is a parameter',
      "const name = 'x-user';\nconst f = (name: string) => { request.headers[name] = ''; };",
      [],
    ],
    ['headers by themselves', "({ headers }: Request) => { headers.user = 'a'; };", ['user']],
    ['headers of something else', "const headers: Record<string, string> = {};\nheaders.user = 'a';", []],
    [
      'another object',
      "request.headers = { ...request.headers, user, 'x-b': '}', ['x-c']: 1 };",
      ['user', 'x-b', 'x-c'],
    ],
    ['Object.assign', "Object.assign(request.headers, { a: '}' }, { b });", ['a', 'b']],
    ['responses', "response.headers.user = 'a';\ncontext.res.headers['b'] = 'b';", []],
    ['what is read', "if (request.headers.user === 'a' || request.headers['b'] == 'b') next();", []],
    ['comments and texts', quoted("request.headers.user = 'a';"), []],
    ['a comment at the end of a line', "next(); // request.headers.user = 'a';", []],
    ['a constant of itself', 'const a = b;\nconst b = a;\nrequest.headers[a] = b;', []],
    ['code with a mistake', "request.headers. = ;\nrequest.headers.user = 'a'", ['user']],
    ['code that is too deep', deeper, []],
  ])('%s', (_, text, expected) => {
    expect(headersSetIn(treeOf({ path: 'src/middleware.ts', text })).filter((name) => name !== '')).toEqual(
      expected,
    );
  });
});

test.each([
  [
    'members',
    "process.env.A; process.env['B']; process.env?.[`C`]; globalThis.process.env.D!;",
    ['A', 'B', 'C', 'D'],
  ],
  ['a pattern', 'const { A, B: b = 1, ...rest } = process.env;', ['A', 'B']],
  ['a constant', "const env = process.env;\nconst name = 'B';\nenv.A; env[name];", ['A', 'B']],
  ['comments and texts', quoted('process.env.A'), []],
  ['others', 'my.env.A; environment.B; process.argv.C;', []],
  ['code with a mistake', 'process.env.; process.env.A', ['A']],
])('variables of the environment: %s', (_, text, expected) => {
  expect([...variablesIn([{ path: 'src/app.ts', text }])].filter((name) => name !== '')).toEqual(expected);
});
