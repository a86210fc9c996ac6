/**
 * Modules transpiled to JavaScript: oxc and its fallback TypeScript produce the same code; user code behaves as if the service were built
 * with TypeScript; and stack traces refer to source lines.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build, transformSync } from 'esbuild';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compile } from '../../compiler/compile.js';
import type { GeneratedFile } from '../../compiler/generate/emit/module/file.js';
import { syntaxErrorsIn } from '../../compiler/tools/typescript/syntax-errors.js';
import { transpile, transpileUserCode } from '../../compiler/tools/typescript/transpile.js';
import { assets } from '../emit/compile-text.js';
import { everyOf } from '../helpers/runs.js';
import { inputOf, repository, serviceFixtures } from '../helpers/service-fixture.js';
import { copied } from '../../compiler/notation/written.js';
import { sourcesBelow } from '../project/sources.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'apikiln-transpile-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const module = (path: string, text: string): GeneratedFile => ({ path, text: copied(text), kind: 'once' });

/** Removes comments, TypeScript's output for type-only imports, and `use strict`, which modules do not need. */
function comparable(code: string): string {
  const { code: printed } = transformSync(code, { minifyWhitespace: true, legalComments: 'none' });
  return printed.replace(/^"use strict";/, '').replaceAll(',{}from"', ' from"');
}

describe('oxc writes what TypeScript writes', () => {
  const fixtures = serviceFixtures().filter(({ database }) => database === 'postgresql');

  async function different(files: readonly GeneratedFile[]): Promise<string[]> {
    const [own, others] = [await transpile(files, false), await transpileUserCode(files)];
    const expected = new Map(others.map(({ path, text }) => [path, text]));
    return own.flatMap(({ path, text }) => {
      const other = (expected.get(path) ?? '').replace(/\/\/# sourceMappingURL=.*\n?$/, '');
      return comparable(text) === comparable(other) ? [] : [path];
    });
  }

  test('for the runtime', async () => {
    const files = sourcesBelow('runtime')
      .filter((_, index) => index % everyOf(3) === 0)
      .map(({ path, text }): GeneratedFile => ({ path, text: copied(text), kind: 'generated' }));
    expect(files.length).toBeGreaterThan(50);
    expect(await different(files)).toEqual([]);
  });

  test.each(fixtures.filter((_, index) => index % everyOf(27) === 0))('for $name', async (fixture) => {
    const { files = [] } = await compile({ ...inputOf(fixture), runsHere: true }, assets);
    const modules = files.filter(({ path }) => path.startsWith('src/'));
    expect(modules.length).toBeGreaterThan(1);
    expect(await different(modules)).toEqual([]);
  });
});

test('without a binding of oxc, TypeScript writes', async () => {
  for (const name of ['oxc-transform', 'ts-morph']) {
    const [from, to] = [join(repository, 'node_modules', name), join(folder, 'node_modules', name)];
    if (name === 'oxc-transform') cpSync(from, to, { recursive: true });
    else symlinkSync(from, to);
  }
  await build({
    entryPoints: [join(repository, 'compiler/tools/typescript/transpile.ts')],
    outfile: join(folder, 'transpile.mjs'),
    ...{ bundle: true, packages: 'external', format: 'esm', platform: 'node' },
  });
  const files = [{ path: 'src/orders.ts', text: 'export const size: number = (1 as number) + 2;\n' }];
  write(
    'run.mjs',
    `import { transpile } from './transpile.mjs';
    const isThere = await import('oxc-transform').then(() => true, () => false);
    console.log(JSON.stringify({ isThere, files: await transpile(${JSON.stringify(files)}, false) }));`,
  );
  const output = execFileSync(process.execPath, [join(folder, 'run.mjs')], { encoding: 'utf8' });
  const text = 'export const size = 1 + 2;\n';
  expect(JSON.parse(output)).toEqual({ isThere: false, files: [{ path: 'dist/orders.js', text }] });
});

/** Each module prints the effect of a TypeScript construct that JavaScript does not have. */
const constructs: Readonly<Record<string, string>> = {
  enum: 'enum Size { small = 1, large = small << 2 }\nconst enum Colour { red = "r" }\nconsole.log(Size, Size[4], Colour.red);\n',
  namespace:
    'namespace prices { export const tax = 2; export namespace old { export const tax = 1; } }\nconsole.log(prices);\n',
  'parameter property':
    'class Base { constructor(protected size: number) {} }\nclass Price extends Base {\n  declare note: string;\n  tax?: number;\n  constructor(readonly value: number, size = 3) { super(size); }\n}\nconsole.log(new Price(1), Object.keys(new Price(1)));\n',
  decorator:
    'function twice(method: () => number, { name }: ClassMethodDecoratorContext) {\n  return function (this: object) { return [name, 2 * method.call(this)] as unknown as number; };\n}\nclass Price { @twice value() { return 2; } }\nconsole.log(new Price().value());\n',
  accessor:
    'class Price { accessor value = 1; }\nconst price = new Price();\nprice.value += 1;\nconsole.log(price.value, Object.keys(price));\n',
  using:
    '(Symbol as { dispose: symbol }).dispose ??= Symbol("dispose");\n{\n  using file = { [Symbol.dispose]: () => console.log("closed") };\n  console.log(typeof file);\n}\n',
  satisfies: 'const a = { b: 1 } satisfies Record<string, number>;\nconsole.log((<{ b: number }>a).b!);\n',
  imports:
    'import type { Other } from "./other.js";\nimport { type Other as Another, used, unused } from "./other.js";\nimport {} from "./effect.js";\nimport { type Other as Third } from "./third.js";\nexport type { Other };\nlet other: Other | Another | Third = 1;\nconsole.log(used, other);\n',
  overloads:
    'function f(a: string): string;\nfunction f(a: number): number;\nfunction f(a: unknown) { return a; }\nabstract class A { abstract b(): void; c(this: A): this is A { return true; } }\nconsole.log(f(1), A.name);\n',
};

test('user code behaves as in the service that is built of it', async () => {
  const settings = JSON.parse(readFileSync(join(repository, 'templates/tsconfig.json'), 'utf8')) as {
    compilerOptions: object;
  };
  const { compilerOptions } = settings;
  write(
    'tsconfig.json',
    JSON.stringify({
      compilerOptions: {
        ...compilerOptions,
        lib: ['ESNext'],
        noUnusedLocals: false,
        typeRoots: [join(repository, 'node_modules/@types')],
      },
      include: ['src'],
    }),
  );
  write('package.json', '{ "type": "module" }');
  const others = {
    other: 'export type Other = number;\nexport const used = 1, unused = 2;\n',
    effect: 'console.log("effect");\n',
    third: 'console.log("third");\nexport type Other = number;\n',
  };
  const all = Object.entries({ ...constructs, ...others });
  for (const [name, text] of all) write(`src/${name}.ts`, text);
  const built = spawnSync(process.execPath, [join(repository, 'node_modules/typescript/bin/tsc')], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(built.stdout + built.stderr).toBe('');
  const here = await transpileUserCode(all.map(([name, text]) => module(`src/${name}.ts`, text)));
  for (const { path, text } of here) write(path.replace(/^dist/, 'here'), text);
  const printed = (path: string) =>
    execFileSync(process.execPath, [join(folder, path)], { encoding: 'utf8' });
  for (const name of Object.keys(constructs)) {
    const expected = printed(`dist/${name}.js`);
    expect(expected, name).not.toBe('');
    expect(printed(`here/${name}.js`), name).toBe(expected);
  }
});

describe('stack traces', () => {
  const failing = `/** A comment. */
interface Price {
  readonly value: number;
}


export function fail(price: Price): never {
  const value: number = price.value as number;
    throw new Error(\`price \${value}\`);
}
fail({ value: 1 });
`;

  test.each([
    ['generated modules', (file: GeneratedFile) => transpile([file])],
    ['user code', (file: GeneratedFile) => transpileUserCode([file])],
  ])('lead to the lines of %s', async (_, write_) => {
    for (const { path, text } of await write_(module('src/app.ts', failing))) write(path, text);
    write('package.json', '{ "type": "module" }');
    const { stderr } = spawnSync(process.execPath, ['--enable-source-maps', join(folder, 'dist/app.js')], {
      encoding: 'utf8',
    });
    const places = [...stderr.matchAll(/^ +at (?:(\w+) \()?.*\/(app\.\w+:\d+:\d+)/gm)].map(
      ([, name = '', place]) => `${name} ${place ?? ''}`,
    );
    expect(places.slice(0, 2)).toEqual(['fail app.ts:9:11', ' app.ts:11:1']);
    // Node prints the source line found through the source map.
    expect(stderr).toContain('    throw new Error(`price ${value}`);');
  });
});

test.each([
  ['an expression that is missing', 'const a: number = ;\n', ['1:19 Expression expected.']],
  ['several mistakes', 'const a = ;\n\nlet b = [1;\n', ['1:11 Expression expected.', "3:11 ',' expected."]],
  ['a bracket that is missing', 'export function f() {\n', ["2:1 '}' expected."]],
  ['code that is too deep', `const a = ${'['.repeat(20_000)}`, ['1:1 The module is nested too deeply.']],
  ['a type that is wrong', 'const a: number = "b";\n', []],
])('%s is named with its position', (_, text, expected) => {
  const found = syntaxErrorsIn({ path: 'src/app.ts', text });
  expect(found.map(({ line, column, message }) => `${line}:${column} ${message}`)).toEqual(expected);
});
