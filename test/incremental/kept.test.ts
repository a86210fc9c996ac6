/**
 * The compilation cache is not observable: after every edit of a random series, the result equals that of a compilation without a cache,
 * position by position and byte for byte. EDITS=20000 makes more edits; EDITS_FROM selects different ones.
 */
import { describe, expect, test } from 'vitest';
import type {
  AskedStatement,
  Databases,
} from '../../compiler/analyze/operations/statements/statement-descriptions.js';
import {
  compile,
  checkSource,
  checkWithDatabases,
  type Compilation,
  type Examined,
  type Input,
} from '../../compiler/compile.js';
import { documentSymbols } from '../../compiler/tools/editor/document-symbols.js';
import { formatExpressions } from '../../compiler/tools/editor/format-expressions.js';
import { CompilationCache } from '../../compiler/generate/emit/compilation-cache.js';
import { MovingSpan, type Source } from '../../compiler/read/source.js';
import type { DescribeResult } from '../../compiler/read/sql/statement-description.js';
import type { SqlNode, SqlTree } from '../../compiler/read/sql/parse/tree.js';
import type { SqlStatement } from '../../compiler/read/sql/statement.js';
import { assets } from '../emit/compile-text.js';
import { manyOperations } from '../bench/configs/many.js';
import { Random } from '../helpers/random.js';
import { runs } from '../helpers/runs.js';
import { inputOf, serviceFixtures } from '../helpers/service-fixture.js';
import { findIn, splitConfiguration } from '../helpers/split-configuration.js';
import { mutate } from '../mutants/mutate.js';
import { edited, editedFiles } from './edits.js';

const count = Number(process.env['EDITS'] ?? runs(30, 1600));
const from = Number(process.env['EDITS_FROM'] ?? 1);
const editsOfRow = 20;
/** One in this many edits is also built. */
const buildOneIn = 4;

/** Caches only formatted texts, not parts of configurations. */
class TextCache extends CompilationCache {
  override part<Kept extends object>(kind: new () => Kept): Kept {
    return new kind();
  }
}

const bases = serviceFixtures()
  .filter(({ database }) => database === 'postgresql')
  .map(inputOf);
const texts = new TextCache();

/** Simulated databases whose results depend only on the statement and on the state of their schema. */
function databasesIn(state: number): Databases {
  return {
    ask: (datasources, questions) => {
      const asked = questions();
      const descriptions = new Map(
        asked.map((one) => [one.statement, { asked: one, result: resultOf(one, state) }]),
      );
      return Promise.resolve({
        of: (statement: SqlStatement) => descriptions.get(statement),
        errors: [],
        unchecked: asked
          .filter(({ text }) => text.length % 7 === state)
          .map((one) => ({ asked: one, reason: 'so' })),
        isWhole: ({ name }) => datasources.some((one) => one.name.value === name.value) && state > 1,
        tables: () => ['news', 'comment'].map((name) => ({ name, columns: ['id'] })),
        functionsOfOwner: () => [],
      });
    },
  };
}

function resultOf({ text }: AskedStatement, state: number): DescribeResult {
  if (text.length % 5 === state) return { refusal: { message: 'no', code: '42P01', at: state } };
  const columns = ['id', 'title'].map((name) => ({ name, type: { name: state === 0 ? 'int4' : 'text' } }));
  return { description: { columns, parameters: [] } };
}

/** The parts of a result that can be compared: descriptions of third parties contain functions, which are new each time. */
function resultOfBuild({ diagnostics, files, timed }: Compilation): Partial<Compilation> {
  return { diagnostics, files, timed };
}

/** All observable results of a check, as text. */
function seen({ diagnostics, analysis }: Examined): string {
  const config = analysis?.config;
  return JSON.stringify(
    {
      diagnostics,
      files: config && [config.source, ...config.included].map(({ path }) => path),
      symbols: config && [config.source, ...config.included].map((file) => documentSymbols(config, file)),
      edits: config && [config.source, ...config.included].map((file) => formatExpressions(config, file)),
      config: config && { ...config, source: undefined, included: undefined },
      // The order of error spans does not matter to rules.
      errors: analysis?.errorSpans.map((span) => JSON.stringify(span, plain)).sort(),
      called: [...(analysis?.called ?? [])],
      flows: analysis?.operations.map(({ flow, mapped }) => [flow.decisions, mapped.bodies.size]),
    },
    plain,
    1,
  );
}

function plain(_: string, value: unknown): unknown {
  if (value instanceof MovingSpan) {
    const { start, end, scalar } = value;
    return { start, end, scalar, ...fileOf(value) };
  }
  if (value instanceof Map) return [...value];
  if (value instanceof Set) return [...value];
  if (typeof value !== 'object' || value === null) return value;
  if (isTree(value))
    return { ...value, root: place(value.root), main: place(value.main), nodes: value.nodes.map(flat) };
  if (!('source' in value)) return value;
  // The source is compared elsewhere; here only the file name is.
  return { ...value, source: undefined, ...fileOf(value) };
}

/** The file name of a span. */
function fileOf({ source }: { readonly source: unknown }): { readonly file?: unknown } {
  return typeof source === 'object' && source !== null && 'path' in source ? { file: source.path } : {};
}

function isTree(value: object): value is SqlTree {
  return 'nodes' in value && 'root' in value && 'main' in value;
}

function isNode(value: unknown): value is SqlNode {
  return typeof value === 'object' && value !== null && 'first' in value && 'children' in value;
}

function place({ kind, first, last }: SqlNode): string {
  return `${kind} ${first}-${last}`;
}

/** A node of a statement as text, with references to other nodes replaced by their positions, because nodes refer to each other. */
function flat(node: SqlNode): string {
  return JSON.stringify(node, (key, value: unknown) =>
    key !== '' && isNode(value) ? place(value) : plain(key, value),
  );
}

function changedSource({ path, text }: Source, random: Random): Source {
  return { path, text: mutate(text, random).text };
}

/** Makes a series of edits; returns how often operations were reused. */
async function row(seed: number): Promise<number> {
  let parted = 0;
  const random = new Random(seed);
  const base = random.pick(bases);
  const cache = new CompilationCache();
  const before: string[] = [base.config.text];
  let [description, state] = [base.description, 0];
  for (let step = 0; step < editsOfRow; step += 1) {
    const last = before.at(-1) ?? '';
    // Sometimes users undo their edits.
    const text = random.chance(30) ? random.pick(before) : edited(last, random);
    if (description !== undefined && random.chance(8))
      description = { ...description, source: changedSource(description.source, random) };
    const input: Input = {
      ...base,
      ...(description && { description }),
      config: { path: base.config.path, text },
    };
    const name = `row ${seed}, edit ${step}`;
    if (random.chance(15)) state = random.below(3);
    const databases = random.chance(70) ? databasesIn(state) : undefined;
    const [kept, cold] =
      databases === undefined
        ? [checkSource(input, cache), checkSource(input)]
        : [await checkWithDatabases(input, databases, cache), await checkWithDatabases(input, databases)];
    if (kept.analysis?.groups !== undefined) parted += 1;
    expect(seen(kept), name).toBe(seen(cold));
    if (cold.service !== undefined && random.below(buildOneIn) === 0) {
      const again = await compile(input, assets, cache, databases);
      const anew = await compile(input, assets, texts, databases);
      expect(resultOfBuild(again), name).toEqual(resultOfBuild(anew));
    }
    if (random.chance(60) || cold.service !== undefined) before.push(text);
  }
  return parted;
}

/** The base configurations that can be split into files. */
const inFiles = bases.flatMap((base) => {
  const found = splitConfiguration(base.config.text, 1, 2);
  return found === undefined ? [] : [{ base, ...found }];
});

/** Edits a configuration of several files; returns how often operations were reused. */
async function rowOfFiles(seed: number): Promise<number> {
  let parted = 0;
  const random = new Random(seed);
  const { base, config, files } = random.pick(inFiles);
  const cache = new CompilationCache();
  const before: { readonly config: string; readonly files: ReadonlyMap<string, string> }[] = [
    { config, files },
  ];
  for (let step = 0; step < editsOfRow; step += 1) {
    const last = before.at(-1) ?? { config, files };
    const now = random.chance(25)
      ? random.pick(before)
      : random.chance(30)
        ? { ...last, config: edited(last.config, random) }
        : { ...last, files: editedFiles(last.files, random) };
    const input: Input = {
      ...base,
      config: { path: base.config.path, text: now.config },
      include: findIn(now.files),
    };
    const name = `row ${seed} of files, edit ${step}`;
    const databases = random.chance(60) ? databasesIn(random.below(3)) : undefined;
    const [kept, cold] =
      databases === undefined
        ? [checkSource(input, cache), checkSource(input)]
        : [await checkWithDatabases(input, databases, cache), await checkWithDatabases(input, databases)];
    if (kept.analysis?.groups !== undefined) parted += 1;
    expect(seen(kept), name).toBe(seen(cold));
    if (cold.service !== undefined && random.below(buildOneIn) === 0) {
      const again = await compile(input, assets, cache, databases);
      const anew = await compile(input, assets, texts, databases);
      expect(resultOfBuild(again), name).toEqual(resultOfBuild(anew));
    }
    if (random.chance(60) || cold.service !== undefined) before.push(now);
  }
  return parted;
}

describe('what is kept of several files', () => {
  const seeds = Array.from({ length: Math.ceil(count / editsOfRow) }, (_, index) => from + index);
  let parted = 0;
  test.each(seeds)('changes nothing: row %i', async (seed) => {
    parted += await rowOfFiles(seed);
  });

  test('is kept for most of the edits', () => {
    expect(parted).toBeGreaterThan(count / 6);
  });

  test('is each operation of the files that have not changed', () => {
    const found = splitConfiguration(manyOperations(100), 0, 10);
    if (found === undefined) throw new Error('The configuration cannot be split.');
    const { config, files } = found;
    const cache = new CompilationCache();
    const read = (now: ReadonlyMap<string, string>): readonly unknown[] =>
      checkSource({ config: { path: 'config.yaml', text: config }, include: findIn(now) }, cache).analysis
        ?.operations ?? [];
    const known = new Set(read(files));
    const [[name = '', text = ''] = []] = files;
    const changedFiles = new Map([...files, [name, text.replace('SELECT', 'SELECT ALL')] as const]);
    const now = read(changedFiles);
    // The changed operation, and the last one in each file.
    expect([known.size, now.length, now.filter((one) => !known.has(one)).length]).toEqual([100, 100, 11]);
  });
});

describe('what is kept', () => {
  const seeds = Array.from({ length: Math.ceil(count / editsOfRow) }, (_, index) => from + index);
  let parted = 0;
  test.each(seeds)('changes nothing: row %i', async (seed) => {
    parted += await row(seed);
  });

  test('is kept for most of the edits', () => {
    expect(parted).toBeGreaterThan(count / 6);
  });

  describe('of 100 operations, where one is changed', () => {
    const before = manyOperations(100);
    /** The number of operations that are not the same objects as before. */
    const readAnew = (text: string): number => {
      const cache = new CompilationCache();
      const [first, second] = [before, text].map(
        (one) => checkSource({ config: { path: 'config.yaml', text: one } }, cache).analysis,
      );
      const known = new Set(first?.operations);
      return second?.operations.filter((operation) => !known.has(operation)).length ?? 0;
    };
    // The last operation is always read again, because no operation follows it.
    test.each([
      ['the first', manyOperations(100, 'Another message'), 2],
      ['none, but lines above', `# a note\n${before}`, 100],
      [
        'one that is added',
        before.replace('operations:\n', `operations:\n  POST /a:\n    fulfillments: []\n`),
        3,
      ],
      ['a line break', before.replace("\n  'GET /area5/news0/{id}'", "\n\n  'GET /area5/news0/{id}'"), 2],
      ['a name twice', before.replace('/area5/news0/', '/area5/news1/'), 100],
      [
        'an alias',
        before.replace('id: VALUE(news, $.id)', 'id: &id VALUE(news, $.id)\n          b: *id'),
        100,
      ],
      ['what YAML cannot read', before.replace('default: true', 'default: "true'), 2],
      ['a tab before a key', before.replace('\n    responses:', '\n\tabc: 1\n    responses:'), 2],
      ['a tab before a text', before.replace('\n          title:', '\n\tabc\n          title:'), 2],
      ['a tab alone', before.replace('\n          title:', '\n\t\n          title:'), 2],
      ['a line without a colon', before.replace('statuscode: 404', 'statuscode 404'), 2],
      ['a bracket that is not closed', before.replace('id: VALUE(news, $.id)', 'id: [VALUE(news, $.id)'), 2],
      [
        'what ends the section',
        before.replace("\n  'GET /area5/news0/{id}'", "\n'GET /area5/news0/{id}'"),
        100,
      ],
    ])('%s', (_, text, count) => {
      expect(readAnew(text)).toBe(count);
    });
  });
});
