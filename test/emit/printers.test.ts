/** Compares oxfmt with prettier, the fallback for platforms without oxfmt: the same bytes, also with longer names and hostile strings. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import fc from 'fast-check';
import { format } from 'oxfmt';
import { expect, test } from 'vitest';
import { compile } from '../../compiler/compile.js';
import { CompilationCache } from '../../compiler/generate/emit/compilation-cache.js';
import type { GeneratedFile } from '../../compiler/generate/emit/module/file.js';
import { formatTypeScript } from '../../compiler/generate/emit/module/format.js';
import { formatAll } from '../../compiler/generate/emit/module/format-all.js';
import { layout } from '../../compiler/generate/emit/module/layout.js';
import { everyOf, runs } from '../helpers/runs.js';
import { databasesOf, inputOf, repository, serviceFixtures } from '../helpers/service-fixture.js';
import { assets } from './compile-text.js';

async function withOxfmt(text: string): Promise<string> {
  const { code, errors } = await format('module.mts', text, layout);
  expect(errors).toEqual([]);
  return code;
}

async function formatted(text: string): Promise<string> {
  const [code = ''] = await formatAll([text], new CompilationCache().formatted);
  return code;
}

const words =
  'if|for|of|await|async|function|import|from|type|const|let|return|throw|new|null|true|false|typeof|else';
const name = new RegExp(`\\b(?!(?:${words})\\b)[a-z]\\w*(?=[.(,?])`, 'g');

/** The code with longer names, so that more lines are broken. */
function lengthened(text: string, by: string): string {
  return text.replaceAll(name, (found) => found + by);
}

/** PostgreSQL fixtures, whose tables do not need a server. */
const fixtures = serviceFixtures().filter(({ database }) => database === 'postgresql');

const endings = ['', 'Of', 'OfALongerName'];

const cases = fixtures.filter((_, index) => index % everyOf(9) === 0);

test.each(cases)('$name', async (fixture) => {
  const { files = [] } = await compile(
    { ...inputOf(fixture), runsHere: true },
    assets,
    undefined,
    databasesOf(fixture),
  );
  const modules = files.filter(isModule);
  expect(modules.length).toBeGreaterThan(1);
  const different: string[] = [];
  for (const { path, text } of modules)
    for (const written of endings.map((by) => lengthened(text, by)))
      if ((await formatted(written)) !== (await formatTypeScript(written))) different.push(path);
  expect(different).toEqual([]);
});

function isModule({ path, kind }: GeneratedFile): boolean {
  return /^src\/.*\.ts$/.test(path) && path !== 'src/main.ts' && kind === 'generated';
}

test.each([
  'const a = "it\'s";\n',
  'const a = "say \\"it\'s\\" and \'so\'";\n',
  'const a = (b && c) || (d ?? e);\n',
  'const a = (await b).c;\n',
  'const a = { "b": 1, "c-d": 2, ["__proto__"]: 3 };\n',
  'f(() => ({ a }), 1);\n',
  'if ((a && (b && c)) || !(d || e)) throw f(`${g("h")}`);\n',
  'const [, a] = b;\n({ a, c } = d);\n',
  "import { a as b } from './c.js';\n",
  'type A = { b: string };\nfunction f(a) {\n  return a;\n}\n',
  'type A = {\n  b: string;\n\n  c: number;\n};\n',
  'const a = {\n  b: 1,\n\n  c: 2,\n};\n',
  'const { a: b, c, d } = e;\nlet g: A | B;\nfor (const a of b) {\n  if (c) continue;\n  break;\n}\n',
  'const a: B<C, D<E>> = f;\n',
  'if (!!(a && b)) return;\n',
  'f(a`b`, ...c, [...d]);\ng(a`b`);\n',
  'const a = [[1, 2], [3, 4]];\nconst b = [{ c: 1, d: 2 }, { c: 3, d: 4 }];\n',
  'const f = (a) => (a ? b : c);\n',
  '/** a */\n\n// b\n\nconst a = b;\n',
  'const a = b.c(d).e(`f`).g({ h: [i], j: !k }).l(m?.[0]).n(o.p(q));\n',
  'const a = b.c((d) => d).e((f) => { return f; }).g(() => { h(); });\n',
  'return someVeryLongName.member.other && someOtherVeryLongName.member.other && aThirdVeryLongName.member.other ? a : b;\n',
  'return a ? someVeryLongName.member.other && someOtherVeryLongName.member.other && aThirdVeryLongName.member.other : b;\n',
  'throw a ? b : someVeryLongName.member.other && someOtherVeryLongName.member.other && aThirdVeryLongName.member.other;\n',
  'f(someVeryLongName.member.other && someOtherVeryLongName.member.other && aThirdVeryLongName.member.other ? a : b);\n',
  'f(a, b ? someVeryLongName.member.other ?? someOtherVeryLongName.member.other ?? aThirdVeryLongName.member.other : c);\n',
  'new F(a ? someVeryLongName.member.other && someOtherVeryLongName.member.other && aThirdVeryLongName.member.other : b);\n',
  'const a = b ? someVeryLongName.member.other && someOtherVeryLongName.member.other && aThirdVeryLongName.member.other : c;\n',
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
])('%s', async (text) => {
  expect(await withOxfmt(text)).toBe(await formatTypeScript(text));
});

test.each([
  ['widths of emoji', `f('${'☝'.repeat(40)}', ${'a'.repeat(40)});\n`],
  ['widths of Korean letters in parts', `f('${'ᅡ'.repeat(90)}', ${'a'.repeat(4)});\n`],
  ['widths of tabs', `f(\`${'\t'.repeat(50)}\`, ${'a'.repeat(40)});\n`],
  ['spaces of Unicode at the end of a comment', 'f(); // a\u0085\n'],
  ['a half of a character', "f('\ud800');\n"],
  ['a long negation', `if (!(${'a'.repeat(60)} || ${'b'.repeat(60)})) f();\n`],
  ['brackets before an index', `a = (${'a'.repeat(60)} ?? ${'b'.repeat(60)})?.[0];\n`],
  ['a union after a long key', `type A = { '${'a'.repeat(100)}': string | null };\n`],
])('prettier decides about %s', async (_, text) => {
  const expected = await formatTypeScript(text);
  expect(await withOxfmt(text)).not.toBe(expected);
  expect(await formatted(text)).toBe(expected);
});

test('code with a mistake is an error', async () => {
  await expect(formatted('const a = ;\n')).rejects.toThrow('Unexpected token');
});

/** An expression with every operand in parentheses. As in generated code, operands are not lists, objects or functions. */
const { value: code } = fc.letrec<{ operand: string; value: string }>((tie) => {
  const [operand, value] = [tie('operand'), tie('value')];
  const values = fc.array(value, { maxLength: 3 });
  const operator = fc.constantFrom('??', '||', '&&', '===', '!==', '<', '>=', '+', '-');
  const named = fc.constantFrom('a', 'call', 'someLongerName', 'null', "'text'", '1', "'it\\'s'");
  return {
    operand: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      named,
      fc.tuple(operand, operator, operand).map(([left, sign, right]) => `(${left}) ${sign} (${right})`),
      fc.tuple(operand, value, value).map(([test, yes, no]) => `(${test}) ? (${yes}) : (${no})`),
      operand.map((one) => `!(${one})`),
      operand.map((one) => `await (${one})`),
      operand.map((one) => `(${one}).member`),
      fc.tuple(operand, value).map(([one, index]) => `(${one})?.[${index}]`),
      fc.tuple(operand, values).map(([one, all]) => `(${one}).call(${all.join()})`),
      values.map((all) => `called(${all.join()})`),
      operand.map((one) => `\`text \${${one}}\``),
    ),
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      operand,
      values.map((all) => `[${all.join()}]`),
      values.map((all) => `({ ${all.map((one) => `key: ${one}`).join()} })`),
      fc.tuple(operand, operand).map(([one, other]) => `[...(${one}), {...(${other})}]`),
      value.map((one) => `async (row) => (${one})`),
      value.map((one) => `async (row) => { return ${one}; }`),
    ),
  };
});

test('any expression', async () => {
  await fc.assert(
    fc.asyncProperty(code, async (written) => {
      const text = `const a = ${written};\nif (is(${written})) return ${written};\n`;
      expect(await formatted(text)).toBe(await formatTypeScript(text));
    }),
    { numRuns: runs(100, 20_000) },
  );
});

const pieces = fc.constantFrom(
  ...Array.from(
    'ab \'"`\\${}*/<>[](),;:.?!|&=-+0_\n#@%^~é漢한Яλ…「\u3000※×ｆ\t\r\u0000\u001b\u0085\u00a0\u00ad\u0301\u200b\u200d\u2028\u202e\u2066\ufeff',
  ),
  ...['👩‍👧', '🇩🇪', '\ud800', '*/', '//', '${', '</script>', 'a long word '],
);
const hostile = fc.oneof(
  fc.array(pieces, { maxLength: 20 }).map((all) => all.join('')),
  fc.array(pieces, { maxLength: 150 }).map((all) => all.join('')),
);

const inComment = (text: string): string =>
  text.replaceAll('*/', '* /').replaceAll(/[\n\r\u2028\u2029]/g, ' ');
const inTemplate = (text: string): string => text.replaceAll(/[`\\]|\$(?=\{)/g, '\\$&').replace(/\$$/, '\\$');

/** Code with a string at each position at which generated code contains configuration strings. */
const places: readonly ((text: string) => string)[] = [
  (text) => `const a = ${JSON.stringify(text)};\n`,
  (text) => `const a = { ${JSON.stringify(text)}: 1, b: f(${JSON.stringify(text)}, someLongName.member) };\n`,
  (text) => `type A = {\n  ${JSON.stringify(text)}: string | null;\n  b: number;\n};\n`,
  (text) => `if (equal(a, ${JSON.stringify(text)})) return reply(200, { a: ${JSON.stringify(text)} });\n`,
  (text) => `const a = db.read({ operation, sql: \`${inTemplate(text)}\` });\n`,
  (text) => `const a = \`\${encode(a.b)} ${inTemplate(text)}\${f(${JSON.stringify(text)})}\`;\n`,
  (text) => `// ${inComment(text)}\nconst a = 1;\n`,
  (text) => `/** ${inComment(text)} */\nfunction f() {\n  // ${inComment(text)}\n  return a;\n}\n`,
];

test('any text in any place', async () => {
  await fc.assert(
    fc.asyncProperty(hostile, async (text) => {
      const code = places.map((place) => place(text)).join('\n');
      expect(await formatted(code)).toBe(await formatTypeScript(code));
    }),
    { numRuns: runs(75, 20_000) },
  );
});

test('letters, digits and signs of every script have one width', async () => {
  const points = Array.from({ length: 0x10000 - 0x20 }, (_, index) => 0x20 + index);
  const texts = points.map((point) => String.fromCodePoint(point)).filter((one) => !/['\\\p{Cs}]/u.test(one));
  // For ten letters of one column each, the first call has 100 columns and the second one 101.
  const calls = texts.map((one) =>
    [79, 80].map((rest) => `f('${one.repeat(10)}${'x'.repeat(rest)}', a);\n`).join(''),
  );
  const blocks = Array.from({ length: Math.ceil(calls.length / 256) }, (_, index) =>
    calls.slice(256 * index, 256 * (index + 1)).join(''),
  ).filter((_, index) => index % everyOf(24) === 0);
  for (const block of blocks) expect((await formatted(block)) === (await formatTypeScript(block))).toBe(true);
});

test('without a binding of oxfmt, prettier prints the same', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'apikiln-printers-'));
  try {
    for (const name of ['oxfmt', 'prettier', 'tinypool']) {
      const [from, to] = [join(repository, 'node_modules', name), join(folder, 'node_modules', name)];
      if (name === 'oxfmt') cpSync(from, to, { recursive: true });
      else symlinkSync(from, to);
    }
    await build({
      entryPoints: [join(repository, 'compiler/generate/emit/module/format-all.ts')],
      outfile: join(folder, 'format-all.mjs'),
      ...{ bundle: true, packages: 'external', format: 'esm', platform: 'node' },
    });
    const text =
      'f({ a, b }, `${c}`, "d", (e || g) && h, someLongName.member.other, anotherLongName.member.other);\n';
    writeFileSync(
      join(folder, 'run.mjs'),
      `import { formatAll } from './format-all.mjs';
      import { format } from 'oxfmt';
      const isThere = await format('a.ts', '').then(() => true, () => false);
      const texts = await formatAll([${JSON.stringify(text)}], new Map());
      console.log(JSON.stringify({ isThere, texts }));`,
    );
    const output = execFileSync(process.execPath, [join(folder, 'run.mjs')], { encoding: 'utf8' });
    expect(JSON.parse(output)).toEqual({ isThere: false, texts: [await withOxfmt(text)] });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
