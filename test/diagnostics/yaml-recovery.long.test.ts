/** A YAML error is reported once and does not hide other errors: random sets of errors. MANY_RUNS=1 tries 10,000. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { describe, expect, test } from 'vitest';
import { yamlFixes } from '../../compiler/read/config/yaml/fix/yaml-fixes.js';
import { checkSource } from '../../compiler/compile.js';
import { growth, superlinear } from '../helpers/growth.js';
import { Random } from '../helpers/random.js';
import { manyRuns, runs } from '../helpers/runs.js';
import { repository } from '../helpers/service-fixture.js';
import { drawCase, outcomeOf, singleErrors, stringErrors, yamlErrors } from './yaml-errors.js';

const fixtures = readdirSync(join(repository, 'fixtures'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.yaml'))
  .map((path) => ({ path, text: readFileSync(join(repository, 'fixtures', path), 'utf8') }));

test('in valid YAML there is nothing to fix', () => {
  const valid = fixtures.filter(({ text }) => {
    const { errors, warnings } = parseDocument(text, { uniqueKeys: false, prettyErrors: false });
    return errors.length + warnings.length === 0;
  });
  expect(valid.length).toBeGreaterThan(300);
  expect(valid.flatMap((source) => yamlFixes(source, source.text).map(() => source.path))).toEqual([]);
});

test('with one error of YAML and five others each is reported once', { timeout: 1_800_000 }, () => {
  const bases = fixtures
    .filter(({ path }) => /^services\/[^/]+\/config\.yaml$/.test(path))
    // Finding the possible errors of a configuration is the slowest step.
    .filter((_, index) => manyRuns || index % 4 === 0)
    .map(({ text }) => ({ text, singles: singleErrors(text) }))
    .filter(({ singles }) => new Set(singles.map(({ line }) => line)).size >= 8);
  const random = new Random(11);
  const kinds = [...Object.keys(yamlErrors), ...Object.keys(stringErrors)];
  const sums = new Map(kinds.map((kind) => [kind, { cases: 0, found: 0, others: 0 }]));
  const total = { cases: 0, found: 0, messages: 0 };
  while (total.cases < runs(10, 10_000)) {
    const base = random.pick(bases);
    const drawn = drawCase(base.text, base.singles, random);
    if (drawn === undefined) continue;
    const { found, messages } = outcomeOf(drawn);
    total.cases += 1;
    total.found += found;
    total.messages += messages;
    const sum = sums.get(drawn.kind);
    if (sum === undefined) throw new Error(`${drawn.kind} is no kind`);
    sum.cases += 1;
    sum.found += found;
    sum.others += messages - found;
  }
  if (process.env['MANY_RUNS'] !== undefined) console.log(total, Object.fromEntries(sums));
  expect(total.found / (5 * total.cases)).toBeGreaterThan(0.98);
  expect(total.messages / (6 * total.cases)).toBeLessThan(1.05);
  expect((total.messages - total.found) / total.cases).toBeLessThan(1.3);
});

/** Configurations of many operations, each with an error. */
const wrong: Readonly<Record<string, (operation: string) => string>> = {
  'missing colons': (text) => text.replace('type: READ', 'type READ'),
  'missing spaces': (text) => text.replace('name: news', 'name:news'),
  tabs: (text) => text.replace('        type', '\ttype'),
  'unclosed quotes': (text) => text.replace('name: ok', "name: 'ok"),
  'wrong indents': (text) => text.replace('        type', '       type'),
  'values that need quotes': (text) => text.replace('SELECT id', 'SELECT id: x'),
  'unclosed brackets': (text) => text.replace('$.id) }', '$.id)'),
  'what nothing fixes': (text) => text.replace('SELECT id', '? [a: b: c'),
};

function operation(index: number): string {
  return `  GET /news/${index}:
    fulfillments:
      - name: news
        type: READ
        datasource: newsdb
        instructions:
          - query: SELECT id FROM news WHERE id = ${index}
    responses:
      - name: ok
        default: true
        statuscode: 200
        schema: { id: "VALUE(news, $.id)", other: VALUE(news, $.id) }
`;
}

describe('eight times the errors take about eight times as long', () => {
  const kinds = Object.keys(wrong).filter((_, index) => manyRuns || index % 2 === 0);
  test.each(kinds)('%s', { timeout: 120_000 }, (name) => {
    const work = (count: number): void => {
      const operations = Array.from({ length: count }, (_, index) => wrong[name]?.(operation(index)) ?? '');
      const text = `specification: "1.0"\noperations:\n${operations.join('')}datasources:\n  newsdb: { type: db, url: "jdbc:postgresql://localhost/news" }\n`;
      const { diagnostics } = checkSource({ config: { path: 'config.yaml', text } });
      const reported = diagnostics.filter(({ code }) => code === 'invalid-yaml' || code === 'needs-quotes');
      // Tabs in consecutive lines are one diagnostic.
      expect(reported.flatMap(({ related }) => [1, ...related]).length).toBe(count);
    };
    expect(growth(work, 30)).toBeLessThan(superlinear);
  });
});
