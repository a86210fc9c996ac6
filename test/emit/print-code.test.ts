/** The generator's own printer against prettier: the same bytes, also with longer names, so that every form is broken somewhere. */
import { describe, expect, test } from 'vitest';
import { compile } from '../../compiler/compile.js';
import type { GeneratedFile } from '../../compiler/generate/emit/module/file.js';
import { formatTypeScript } from '../../compiler/generate/emit/module/format.js';
import { parseModule } from '../../compiler/generate/emit/print/parse-code.js';
import { printCode } from '../../compiler/generate/emit/print/print-code.js';
import { isSameCode } from '../../compiler/generate/emit/print/same-code.js';
import { everyOf } from '../helpers/runs.js';
import { databasesOf, inputOf, serviceFixtures } from '../helpers/service-fixture.js';
import { assets } from './compile-text.js';

const words =
  'if|for|of|await|async|function|import|from|type|const|let|return|throw|new|null|true|false|typeof|else';
const name = new RegExp(`\\b(?!(?:${words})\\b)[a-z]\\w*(?=[.(,?])`, 'g');

/** The same code, more of which is broken. */
function lengthened(text: string, by: string): string {
  return text.replaceAll(name, (found) => found + by);
}

/** With the tables of PostgreSQL, which need no server. */
const fixtures = serviceFixtures().filter(({ database }) => database === 'postgresql');

const endings = ['', 'Of', 'OfALongerName'];

const cases = fixtures.filter((_, index) => index % everyOf(1) === 0);

test.each(cases)('$name', async (fixture) => {
  const { files = [] } = await compile(
    { ...inputOf(fixture), runsHere: true },
    assets,
    undefined,
    databasesOf(fixture),
  );
  const modules = files.filter(isModule);
  expect(modules.length).toBeGreaterThan(1);
  const [wrong, unknown]: [string[], string[]] = [[], []];
  for (const { path, text } of modules)
    for (const written of endings.map((by) => lengthened(text, by))) {
      const printed = printCode(written);
      if (printed === undefined) unknown.push(path);
      else if (printed !== (await formatTypeScript(written))) wrong.push(path);
    }
  expect(wrong).toEqual([]);
  expect(unknown).toEqual([]);
});

function isModule({ path, kind }: GeneratedFile): boolean {
  return /^src\/.*\.ts$/.test(path) && path !== 'src/main.ts' && kind === 'generated';
}

describe('code that it leaves to prettier', () => {
  test.each([
    'class A {}\n',
    'const a = b; // beside\n',
    'f(/* inside */ a);\n',
    'const a = {\n  b,\n  // at the end\n};\n',
    'const a = /re/;\n',
    'const a = b ? c : d ? e : f;\n',
    'a.b = c;\n',
    'const f = (a) => (b) => c;\n',
    'type A = keyof B;\n',
    'const a = 0x10;\n',
    'f(`\n`);\n',
    'const a = { "ü": 1 };\n',
    '// alone\n',
    'f((a?.b).c);\n',
    'f(a < b > (c));\n',
  ])('%s', (text) => {
    expect(printCode(text)).toBeUndefined();
  });
});

test.each([
  ['const a = "it\'s";\n', 'const a = "it\'s";\n'],
  ['const a = "say \\"it\'s\\" and \'so\'";\n', undefined],
  ['const a = (b && c) || (d ?? e);\n', undefined],
  ['const a = (await b).c;\n', undefined],
  ['const a = { "b": 1, "c-d": 2, ["__proto__"]: 3 };\n', undefined],
  ['f(() => ({ a }), 1);\n', undefined],
  ['if ((a && (b && c)) || !(d || e)) throw f(`${g("h")}`);\n', undefined],
  ['const [, a] = b;\n({ a, c } = d);\n', undefined],
])('%s', async (text, expected) => {
  const printed = printCode(text);
  expect(printed).toBeDefined();
  expect(printed).toBe(expected ?? (await formatTypeScript(text)));
});

describe('code that is printed as other code goes to prettier', () => {
  const code = 'f(a, "b", `c ${d}`, (e || g) && h);\n';
  test('only where it is other code', () => {
    expect(isSameCode(parseModule(code), parseModule(`/* k */\n${code}`))).toBe(false);
    expect(
      isSameCode(parseModule(code), parseModule("f(\n  a,\n  'b',\n  `c ${d}`,\n  (e || g) && h,\n);")),
    ).toBe(true);
  });
  test.each([
    ['a, ', ''],
    ['(e || g) && h', 'e || (g && h)'],
    ['"b"', 'b'],
    ['"b"', '"b "'],
    ['c $', 'c  $'],
    ['d}', '!d}'],
    ['f(', 'await f('],
  ])('%s', (from, to) => {
    expect(isSameCode(parseModule(code), parseModule(code.replace(from, to)))).toBe(false);
  });
});
