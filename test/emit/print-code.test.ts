/** The generator's own printer against prettier: the same bytes, also with longer names, so that every form is broken somewhere. */
import fc from 'fast-check';
import { util } from 'prettier';
import { describe, expect, test } from 'vitest';
import { compile } from '../../compiler/compile.js';
import type { GeneratedFile } from '../../compiler/generate/emit/module/file.js';
import { formatTypeScript } from '../../compiler/generate/emit/module/format.js';
import { printCode } from '../../compiler/generate/emit/print/print-code.js';
import { everyOf, runs } from '../helpers/runs.js';
import { databasesOf, inputOf, serviceFixtures } from '../helpers/service-fixture.js';
import { assets } from './compile-text.js';
import { isSameCode } from './same-code.js';

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
      const printed = printCode(written, util.getStringWidth);
      if (printed === undefined) unknown.push(path);
      else if (printed !== (await formatTypeScript(written)) || !isSameCode(written, printed))
        wrong.push(path);
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
    'if (a) {\n}\n',
    'const a = -b;\n',
    'const f = (a) => ({}) ? a : a;\n',
    'const f = (a) => ({}) === a;\n',
  ])('%s', (text) => {
    expect(printCode(text, util.getStringWidth)).toBeUndefined();
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
  ["import { a as b } from './c.js';\n", undefined],
  ['type A = { b: string };\nfunction f(a) {\n  return a;\n}\n', undefined],
  ['type A = {\n  b: string;\n\n  c: number;\n};\n', undefined],
  ['const a = {\n  b: 1,\n\n  c: 2,\n};\n', undefined],
  [
    'const { a: b, c, d } = e;\nlet g: A | B;\nfor (const a of b) {\n  if (c) continue;\n  break;\n}\n',
    undefined,
  ],
  ['const a: B<C, D<E>> = f;\n', undefined],
  ['if (!!(a && b)) return;\n', undefined],
  ['f(a`b`, ...c, [...d]);\ng(a`b`);\n', undefined],
  ['const a = [[1, 2], [3, 4]];\nconst b = [{ c: 1, d: 2 }, { c: 3, d: 4 }];\n', undefined],
  ['const f = (a) => (a ? b : c);\n', undefined],
  ['/** a */\n\n// b\n\nconst a = b;\n', undefined],
  ['const a = b.c(d).e(`f`).g({ h: [i], j: !k }).l(m?.[0]).n(o.p(q));\n', undefined],
  ['const a = b.c((d) => d).e((f) => { return f; }).g(() => { h(); });\n', undefined],
  [
    'return someVeryLongName.member.other && someOtherVeryLongName.member.other && aThirdVeryLongName.member.other ? a : b;\n',
    undefined,
  ],
  [
    'return a ? someVeryLongName.member.other && someOtherVeryLongName.member.other && aThirdVeryLongName.member.other : b;\n',
    undefined,
  ],
  [
    'throw a ? b : someVeryLongName.member.other && someOtherVeryLongName.member.other && aThirdVeryLongName.member.other;\n',
    undefined,
  ],
  [
    'f(someVeryLongName.member.other && someOtherVeryLongName.member.other && aThirdVeryLongName.member.other ? a : b);\n',
    undefined,
  ],
  [
    'f(a, b ? someVeryLongName.member.other ?? someOtherVeryLongName.member.other ?? aThirdVeryLongName.member.other : c);\n',
    undefined,
  ],
  [
    'new F(a ? someVeryLongName.member.other && someOtherVeryLongName.member.other && aThirdVeryLongName.member.other : b);\n',
    undefined,
  ],
  [
    'const a = b ? someVeryLongName.member.other && someOtherVeryLongName.member.other && aThirdVeryLongName.member.other : c;\n',
    undefined,
  ],
])('%s', async (text, expected) => {
  const printed = printCode(text, util.getStringWidth);
  expect(printed).toBeDefined();
  expect(printed).toBe(expected ?? (await formatTypeScript(text)));
});

test.each([
  ['f(a, "b", `c ${d}`, (e || g) && h);\n', "f(\n  a,\n  'b',\n  `c ${d}`,\n  (e || g) && h,\n);", true],
  ['f((e || g) && h);\n', 'f(e || (g && h));\n', false],
  ['f("b");\n', 'f(b);\n', false],
  ['f(d);\n', 'f(!d);\n', false],
  ['f(d);\n', 'await f(d);\n', false],
  ['/** a\n * b */\nf(d);\n', '/** a\n   b */\nf(d);\n', false],
])('%j is the same code as %j: %s', (one, other, expected) => {
  expect(isSameCode(one, other)).toBe(expected);
});

/** An expression in which every operand is in brackets. */
const { code } = fc.letrec<{ code: string }>((tie) => {
  const inside = tie('code');
  const operator = fc.constantFrom('??', '||', '&&', '===', '!==', '<', '>=', '+', '-');
  const named = fc.constantFrom('a', 'call', 'someLongerName', 'null', "'text'", '1', "'it\\'s'");
  return {
    code: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      named,
      fc.tuple(inside, operator, inside).map(([left, sign, right]) => `(${left}) ${sign} (${right})`),
      fc.tuple(inside, inside, inside).map(([test, yes, no]) => `(${test}) ? (${yes}) : (${no})`),
      inside.map((one) => `!(${one})`),
      inside.map((one) => `await (${one})`),
      inside.map((one) => `(${one}).member`),
      fc.tuple(inside, inside).map(([one, index]) => `(${one})?.[${index}]`),
      fc
        .tuple(inside, fc.array(inside, { maxLength: 3 }))
        .map(([one, all]) => `(${one}).call(${all.join()})`),
      fc.array(inside, { maxLength: 3 }).map((all) => `called(${all.join()})`),
      fc.array(inside, { maxLength: 3 }).map((all) => `[${all.join()}]`),
      fc.array(inside, { maxLength: 3 }).map((all) => `({ ${all.map((one) => `key: ${one}`).join()} })`),
      fc.tuple(inside, inside).map(([one, other]) => `[...(${one}), {...(${other})}]`),
      inside.map((one) => `\`text \${${one}}\``),
      inside.map((one) => `async (row) => (${one})`),
      inside.map((one) => `async (row) => { return ${one}; }`),
    ),
  };
});

test('any expression is printed as prettier prints it, or left to it', async () => {
  let printed = 0;
  await fc.assert(
    fc.asyncProperty(code, async (written) => {
      const text = `const a = ${written};\nif (${written}) return ${written};\n`;
      const found = printCode(text, util.getStringWidth);
      if (found === undefined) return;
      printed++;
      expect(isSameCode(text, found)).toBe(true);
      expect(found).toBe(await formatTypeScript(text));
    }),
    { numRuns: runs(400, 20_000) },
  );
  // Of a hundred about 61 are, with a standard deviation of 5.
  expect(printed).toBeGreaterThan(runs(100, 5000));
});
