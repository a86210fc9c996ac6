/**
 * Splitting a configuration into files does not change its meaning: the output bytes are the same, and the diagnostics are at the same
 * words.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkSource, compile, type Input } from '../../compiler/compile.js';
import type { Diagnostic } from '../../compiler/read/diagnostics/diagnostic.js';
import { Budget } from '../../compiler/read/config/yaml/budget.js';
import { readNodes } from '../../compiler/read/config/yaml/yaml-document.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import type { Span } from '../../compiler/read/source.js';
import { assets } from '../emit/compile-text.js';
import { everyOf } from '../helpers/runs.js';
import { descriptionIn, inputOf, repository, serviceFixtures } from '../helpers/service-fixture.js';
import { findIn, splitConfiguration, type SplitConfiguration } from '../helpers/split-configuration.js';

/** `kept`: number of operations left in the main file; `size`: number of operations in each further file. */
const ways = [
  { kept: 0, size: 1 },
  { kept: 1, size: 2 },
] as const;

const services = serviceFixtures()
  .filter(({ database }) => database === 'postgresql')
  .map((fixture) => ({ name: fixture.name, input: inputOf(fixture) }));

const errors = readdirSync(join(repository, 'fixtures/errors')).map((name) => {
  const folder = join(repository, 'fixtures/errors', name);
  const description = descriptionIn(folder);
  const text = readFileSync(join(folder, 'config.yaml'), 'utf8');
  return { name, input: { config: { path: 'config.yaml', text }, ...(description && { description }) } };
});

/** Errors that concern the structure of the file, so they change if the configuration is split. */
const ofOneFile = [
  ...['many-duplicate-keys', 'many-merge-conflicts', 'many-misspelt-fields', 'many-wrong-kinds'],
  'missing-specification',
];

/** Caches the result for the unsplit configuration, which all ways to split share. */
function once<Result>(make: (input: Input) => Result): (input: Input) => Result {
  const made = new Map<Input, Result>();
  return (input) => {
    const result = made.get(input) ?? make(input);
    made.set(input, result);
    return result;
  };
}

const compiled = once((input) => compile(input, assets));
const checked = once((input) => seen(checkSource(input).diagnostics));

function withFiles(input: Input, { config, files }: SplitConfiguration): Input {
  return { ...input, config: { path: 'config.yaml', text: config }, include: findIn(files) };
}

/** The inputs that can be split in this way. */
function split(
  all: readonly { readonly name: string; readonly input: Input }[],
): { readonly name: string; readonly input: Input; readonly inFiles: Input }[] {
  return all.flatMap(({ name, input }) =>
    ways.flatMap(({ kept, size }) => {
      if (/^include:/m.test(input.config.text)) return [];
      const found = splitConfiguration(input.config.text, kept, size);
      return found === undefined
        ? []
        : [{ name: `${name}, files of ${size}`, input, inFiles: withFiles(input, found) }];
    }),
  );
}

/** The text without line and column numbers or file names. */
function plain(text: string): string {
  return text
    .replaceAll(/\b(?:(?:in )?lines? )?(?:config\.yaml:|operations\/\d+\.yaml:)?\d+\b/g, 'N')
    .replaceAll(/\boperations\/\d+\.yaml\b/g, 'config.yaml')
    .replaceAll(/\s+/g, ' ');
}

function wordsOf({ source, start, end }: Span): string {
  return source.text.slice(start, end).replaceAll(/\s+/g, ' ');
}

function seen(diagnostics: readonly Diagnostic[]): string[] {
  return diagnostics
    .flatMap(({ code, severity, message, hint = '', span, related, fix }) => {
      // Reported once for each file, with the other places in the file.
      if (code === 'unknown-digits')
        return [span, ...related.map((one) => one.span)].map((one) =>
          JSON.stringify([code, severity, plain(hint), wordsOf(one)]),
        );
      return JSON.stringify([
        ...[code, severity, plain(message), plain(hint), wordsOf(span)],
        related.map((one) => [one.message, wordsOf(one.span)]).sort(),
        fix?.isSafe,
      ]);
    })
    .sort();
}

function isTried(_: unknown, index: number): boolean {
  return index % everyOf(3) === 0;
}

describe('generates the same', () => {
  const cases = split(services);

  test('for many services', () => {
    expect(cases.length).toBeGreaterThan(30);
  });

  test.each(cases.filter(isTried))('$name', async ({ input, inFiles }) => {
    const [one, several] = [await compiled(input), await compile(inFiles, assets)];
    expect(one.files).toBeDefined();
    const named = several.files?.map((file) => ({
      ...file,
      text: file.text.replaceAll(/\boperations\/\d{4}\.yaml/g, 'config.yaml'),
    }));
    expect(named).toEqual(one.files);
    expect(seen(several.diagnostics)).toEqual(seen(one.diagnostics));
  });
});

describe('reports the same', () => {
  const cases = split(errors.filter(({ name }) => !ofOneFile.includes(name)));

  test('for many errors', () => {
    expect(cases.length).toBeGreaterThan(200);
  });

  test.each(cases.filter(isTried))('$name', ({ input, inFiles }) => {
    expect(seen(checkSource(inFiles).diagnostics)).toEqual(checked(input));
  });
});

test('all files together have one limit of values', () => {
  const read = (path: string, budget: Budget): readonly string[] => {
    const report = new Report();
    readNodes({ path, text: 'GET /a: { x: [1, 2, 3] }', includedAs: path }, report, budget);
    return report.diagnostics.map(({ code, span }) => `${span.source.path} ${code}`);
  };
  const budget = new Budget(100, 12);
  expect([read('a.yaml', budget), read('b.yaml', budget)]).toEqual([[], ['b.yaml too-large']]);
});
