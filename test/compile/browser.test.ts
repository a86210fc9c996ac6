/** The compiler is pure: without any Node API it generates the same files as the command. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { compile, type Input } from '../../compiler/compile.js';
import { readAssets } from '../../compiler/generate/assets.js';
import { sha256 } from '../../compiler/generate/plan/names/sha256.js';
import { utf8Length } from '../../compiler/read/bytes.js';
import { inputOf, repository, serviceFixtures } from '../helpers/service-fixture.js';

const assets = readAssets(repository);

/**
 * Bundles the compiler as a script that defines `apikiln`, with prettier as its printer because oxfmt is a native program. The bundle fails
 * if it needs a built-in Node module.
 */
async function bundled(external: readonly string[]): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(repository, 'compiler/compile.ts')],
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'apikiln',
    external: [...external],
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

/** Runs the compiler in a context that has only the language and the browser functions listed here. */
function inBrowser(script: string): typeof compile {
  const context = createContext({ TextEncoder });
  return runInContext(`${script}\napikiln.compile`, context) as typeof compile;
}

describe('compile.ts for a browser', () => {
  let script = '';

  beforeAll(async () => {
    script = await bundled(['oxfmt']);
  });

  test.each(['news', 'timed', 'authentication'])('compiles %s as Node does', async (name) => {
    const fixture = serviceFixtures().find((one) => one.name === name && one.database === 'postgresql');
    if (fixture === undefined) throw new Error(`There is no fixture ${name}.`);
    const input: Input = { ...inputOf(fixture), target: 'kubernetes' };
    const written = await inBrowser(script)(input, assets);
    const expected = await compile(input, assets);
    expect(expected.files?.length).toBeGreaterThan(10);
    expect(JSON.stringify(written.files)).toBe(JSON.stringify(expected.files));
    expect(written.diagnostics.map(({ code }) => code)).toEqual(expected.diagnostics.map(({ code }) => code));
  });

  test('finds what is wrong', async () => {
    const config = { path: 'config.yaml', text: 'specification: "1.0"\noperations: [' };
    const { diagnostics, files } = await inBrowser(script)({ config }, assets);
    expect(files).toBeUndefined();
    expect(diagnostics.map(({ code }) => code)).toContain('invalid-yaml');
  });

  test('is small: 465 kB without the printer, compressed', async () => {
    const { length } = gzipSync(await bundled(['oxfmt', 'prettier', 'prettier/*']), { level: 9 });
    expect(length).toBeLessThan(465_000);
  });
});

describe('what the compiler has in place of Node', () => {
  const texts = [
    fc.sample(fc.string({ unit: 'binary', maxLength: 300 }), { numRuns: 300, seed: 1 }),
    Array.from({ length: 130 }, (_, length) => 'a'.repeat(length)),
    ['\ud800', 'a\udc00\ud800b', '\ud83d\ude00', '\uffff€ß'],
  ].flat();

  test('hashes as node:crypto', () => {
    const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
    expect(texts.map(sha256)).toEqual(texts.map(hashOf));
  });

  test('counts bytes as Buffer', () => {
    expect(texts.map(utf8Length)).toEqual(texts.map((text) => Buffer.byteLength(text)));
  });
});
