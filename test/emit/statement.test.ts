/** SQL in generated modules: the database receives exactly the text of the configuration. */
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { ts } from 'ts-morph';
import { expect, test } from 'vitest';
import { printCode } from '../../compiler/generate/code/print.js';
import { formatTypeScript } from '../../compiler/generate/emit/module/format.js';
import { Module } from '../../compiler/generate/emit/module/module.js';
import { emitStatement } from '../../compiler/generate/emit/statement-declaration.js';
import type { SqlPart } from '../../compiler/read/sql/rewrite/text-part.js';
import type { DatasourceIdentifier } from '../../compiler/generate/plan/names/identifiers.js';
import { renderSql } from '../../compiler/read/sql/rewrite/render.js';
import type { LoweredSql } from '../../compiler/read/sql/rewrite/lower.js';
import * as lists from '../../runtime/sql/in-lists.js';
import * as tags from '../../runtime/sql/sql-template.js';
import { filesOf, textOf } from './compile-text.js';
import { anyText } from './hostile.js';
import { runs } from '../helpers/runs.js';

function statementOf(parts: readonly SqlPart[], dialect: LoweredSql['dialect']): LoweredSql {
  return {
    dialect,
    verb: 'SELECT',
    parts,
    bindings: [],
    rowCounts: new Map(),
    uses: new Map(),
    truths: [],
    retry: false,
    atomic: true,
    changesSession: false,
    runsUnknownCode: false,
  };
}

function emit(sql: LoweredSql): string {
  const named = { use: 'READ', datasource: 'db' as DatasourceIdentifier, fulfillment: 'news' } as const;
  const plan = {
    kind: 'statement',
    ...named,
    sql,
    parts: sql.parts,
    text: renderSql(sql),
    sources: [],
    forms: new Map(),
    table: undefined,
    isEnclosed: false,
    each: undefined,
    written: undefined,
    compared: undefined,
    list: undefined,
  } as const;
  const statement = emitStatement(plan, undefined, new Module('src/operations/a.ts', 'config.yaml'));
  return `const selectNews = ${printCode(statement)};`;
}

/** The object that the loaded module passes to its datasource. */
function load(code: string): { readonly sql: string | tags.SqlTemplate } {
  const script = ts.transpileModule(code, { compilerOptions: { target: ts.ScriptTarget.ES2023 } }).outputText;
  const context = { ...tags, ...lists, operation: 'o', db: { read: (statement: unknown) => statement } };
  return runInNewContext(`${script}; selectNews`, context) as { sql: string | tags.SqlTemplate };
}

/** A statement begins with a word; line breaks, and strings that look like code, can follow anywhere. */
const sqlText = fc
  .array(fc.oneof(anyText(), fc.constantFrom('\n', '\n  ', '\n\n', '\n\t', "'a\n    b'", '$')), {
    maxLength: 6,
  })
  .map((pieces) => `SELECT${pieces.join('')}`);

const hole: fc.Arbitrary<SqlPart> = fc.constantFrom<SqlPart>(
  { kind: 'value' },
  { kind: 'in-list', negated: false, count: 1 },
  { kind: 'in-list', negated: true, count: 3 },
  { kind: 'elements', comma: 'before' },
  { kind: 'elements', comma: 'after' },
);

test('a text without lists is the text of the configuration, with markers', () => {
  fc.assert(
    fc.property(sqlText, sqlText, fc.constantFrom('postgresql', 'mysql'), (before, after, dialect) => {
      // Trailing white space of a statement is trimmed when the configuration is read.
      const parts: SqlPart[] = [
        { kind: 'text', text: before },
        { kind: 'value' },
        { kind: 'text', text: after.trimEnd() },
      ];
      const statement = statementOf(parts, dialect);
      expect(load(emit(statement)).sql).toBe(renderSql(statement));
    }),
    { numRuns: runs(19, 300) },
  );
});

/** The SQL of a hole for lists with one number each. */
function shown(hole: tags.Hole): string {
  const { text, values } = hole.template(['', ''], [hole]).render([[1], [2], [3]], 'postgresql');
  return text.replaceAll(/\$(\d)/g, (_, index: string) => `<${JSON.stringify(values[Number(index) - 1])}>`);
}

function expected(part: SqlPart): string {
  switch (part.kind) {
    case 'in-list':
      return part.negated ? 'NOT IN (<1>, <2>, <3>, <3>)' : 'IN (<1>)';
    case 'elements':
      return part.comma === 'before' ? ', <1>' : '<1>, ';
    default:
      return '<[1]>';
  }
}

test('a text with lists is a template whose strings are the text of the configuration', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(sqlText, hole), { minLength: 1, maxLength: 4 }), (pieces) => {
      const parts = pieces.flatMap(([text, part]): SqlPart[] => [{ kind: 'text', text }, part]);
      const { sql } = load(emit(statementOf([...parts, { kind: 'text', text: ' END' }], 'postgresql')));
      if (typeof sql === 'string')
        expect(parts.every(({ kind }) => kind === 'text' || kind === 'value')).toBe(true);
      else {
        expect(sql.strings).toEqual([...pieces.map(([text]) => text), ' END']);
        expect(sql.holes.map(shown)).toEqual(pieces.map(([, part]) => expected(part)));
      }
    }),
    { numRuns: runs(19, 300) },
  );
});

test('formatting the module changes nothing of it', async () => {
  const text = "SELECT '\n  a', `b`, \\, ${c}, $\n\n\tFROM t -- */ \n  WHERE x = 'é\u2028'";
  const code = emit(statementOf([{ kind: 'text', text }], 'postgresql'));
  expect(load(await formatTypeScript(code)).sql).toBe(text);
});

test.each([
  ['unchanged', 'SELECT 1', 'SELECT 1'],
  ['without the white space around it', '\n\n   SELECT 1\n  FROM t ; \n\n', 'SELECT 1\n  FROM t'],
  ['without a tab before it', '\t\tSELECT 1\n\tFROM t', 'SELECT 1\n\tFROM t'],
  ['with the line breaks of a quoted text', "  SELECT '\n a\n   b'", "SELECT '\n a\n   b'"],
])('the whole way, a text is sent %s', async (_name, query, sent) => {
  const files = await filesOf({
    specification: '1.0',
    operations: {
      'GET /a': {
        fulfillments: [{ name: 'a', type: 'READ', datasource: 'db', instructions: [{ query }] }],
        responses: [{ name: 'ok', default: true, statuscode: 200 }],
      },
    },
    datasources: { db: { type: 'db', url: 'jdbc:postgresql://localhost/db' } },
  });
  const code = textOf(files, 'src/operations/get-a.ts');
  const declaration = /const selectA = [^]*?\}\);$/m.exec(code)?.[0] ?? '';
  expect(load(declaration.replace('selectA', 'selectNews')).sql).toBe(sent);
});

test('a statement that runs code of the database says so, and one that does not is shorter', () => {
  const statement = statementOf([{ kind: 'text', text: 'SELECT 1' }], 'postgresql');
  expect(emit({ ...statement, runsUnknownCode: true })).toContain('runsUnknownCode: true');
  expect(emit(statement)).not.toContain('runsUnknownCode');
});
