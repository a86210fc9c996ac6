/** Every code is explained: the wrong example has exactly this diagnostic, and the right example has no diagnostics. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { readExplanations } from '../../compiler/generate/assets.js';
import { canBeLowered } from '../../compiler/analyze/check/disable-comments.js';
import { everyMessage } from '../../compiler/analyze/check/rule-list.js';
import { checkSource } from '../../compiler/compile.js';
import { check } from '../../compiler/tools/commands/check.js';
import { terminalOf } from '../../compiler/tools/commands/shared/output/terminal.js';
import { withEdits } from '../../compiler/read/diagnostics/apply-fixes.js';
import type { Diagnostic } from '../../compiler/read/diagnostics/diagnostic.js';
import type { Explanation } from '../../compiler/read/diagnostics/explanation.js';
import {
  describedExample,
  includedOf,
  includingExample,
  parts,
  thirdPartyOf,
  wholeExample,
} from '../../compiler/tools/example.js';
import { everyOf } from '../helpers/runs.js';
import { testedConfig } from '../helpers/tested-example.js';
import { readTests } from '../../compiler/tools/testing/read/read-tests.js';
import { Workspace } from '../commands/workspace.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const explanations = readExplanations(root);
const folder = mkdtempSync(join(tmpdir(), 'apikiln-explanations-'));

/** Selects the codes whose examples are checked. */
function isTried(_: unknown, index: number): boolean {
  return index % everyOf(3) === 0;
}

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The distinct codes reported for an example. */
async function codesOf(code: string, explanation: Explanation, text: string): Promise<string[]> {
  const { openapi, api, schema, included } = explanation;
  if (explanation.part === 'tests') {
    const source = { path: 'config.yaml', text: testedConfig(api !== undefined) };
    const { analysis } = checkSource({ config: source, thirdParty: thirdPartyOf(explanation) });
    if (analysis === undefined) throw new Error('The tested example cannot be read.');
    return readTests({ path: 'config.test.yaml', text }, analysis.config, analysis.beside).diagnostics.map(
      (diagnostic) => diagnostic.code,
    );
  }
  const at = mkdtempSync(join(folder, `${code}-`));
  // The example of an API description or a schema is the file itself.
  const isDescription = explanation.part === 'openapi';
  const isSchema = explanation.part === 'database';
  const isIncluded = explanation.part === 'included';
  const config = isIncluded ? includingExample : wholeExample(explanation, text).text;
  writeFileSync(join(at, 'config.yaml'), isDescription || isSchema ? describedExample : config);
  if (isIncluded || included !== undefined) {
    mkdirSync(join(at, 'operations'));
    writeFileSync(join(at, 'operations/news.yaml'), included ?? text);
  }
  if (isDescription) writeFileSync(join(at, 'openapi.yaml'), text);
  else if (openapi !== undefined) writeFileSync(join(at, 'openapi.yaml'), openapi);
  if (api !== undefined) writeFileSync(join(at, 'api.yaml'), api);
  if (isSchema) writeFileSync(join(at, 'schema.sql'), text);
  else if (schema !== undefined) writeFileSync(join(at, 'schema.sql'), schema);
  let output = '';
  const terminal = { ...terminalOf(process), folder: at, print: (line: string) => (output += line) };
  await check('config.yaml', { format: 'json' }, { ...terminal, log: () => undefined });
  const { diagnostics } = JSON.parse(output) as { diagnostics: { code: string }[] };
  return [...new Set(diagnostics.map((diagnostic) => diagnostic.code))];
}

/** Errors that cannot occur alone, with the other diagnostics of their wrong examples. */
const together: Readonly<Record<string, readonly string[]>> = {
  'body-too-large': ['cyclic-model'],
  'unknown-code': ['response-never-used'],
  'wrong-join': ['join-missing'],
};

/**
 * Codes whose examples are too long, need several files or need a server: fixtures/errors, the tables of expressions and test/database
 * cover them.
 */
const notShown = ['too-large', 'expression-too-long', 'several-descriptions', 'sql-not-checked'];

describe('every code has an explanation, and nothing else has', () => {
  test.each(Object.keys(everyMessage))('%s', (code) => {
    expect(explanations.has(code), `no file of templates/explanations has '## ${code}'`).toBe(true);
  });

  test.each([...explanations.keys()])('%s is a code', (code) => {
    expect(code in everyMessage, `templates/explanations has '## ${code}', which nothing reports`).toBe(true);
  });
});

describe.each([...explanations])('%s', (_, explanation) => {
  test('is explained in a few sentences', () => {
    expect(explanation.text.length).toBeGreaterThan(40);
    expect(explanation.text.length).toBeLessThan(600);
    expect(explanation.text).toMatch(/^(?!.*(?:^|\n)# )[^]*[.]$/);
    expect([...parts, 'file', 'included', 'openapi', 'database', 'tests']).toContain(explanation.part);
  });
});

describe.each([...explanations].filter(isTried))('%s', (code, explanation) => {
  test.skipIf(notShown.includes(code))('wrong', async () => {
    const codes = await codesOf(code, explanation, explanation.wrong);
    expect(codes.sort()).toEqual([code, ...(together[code] ?? [])].sort());
  });

  test('right', async () => {
    expect(await codesOf(code, explanation, explanation.right)).toEqual([]);
  });
});

describe('a safe fix of a wrong example', () => {
  const shown = [...explanations].filter(
    ([code, { part }]) => parts.includes(part) && !notShown.includes(code),
  );
  test.each(shown.filter(isTried))('of %s leaves nothing to report', (code, { openapi, ...explanation }) => {
    const description = openapi && { source: { path: 'openapi.yaml', text: openapi }, read: () => undefined };
    const diagnosticsOf = (text: string): readonly Diagnostic[] =>
      checkSource({
        config: { path: 'config.yaml', text },
        include: includedOf(explanation),
        thirdParty: thirdPartyOf(explanation),
        ...(description && { description }),
      }).diagnostics;
    const { text } = wholeExample(explanation, explanation.wrong);
    const reported = diagnosticsOf(text).filter((one) => one.code === code);
    const left = reported.flatMap(({ fix, span }) => {
      if (fix?.isSafe !== true || span.source.path !== 'config.yaml') return [];
      fixed.add(code);
      return diagnosticsOf(withEdits(text, fix.edits)).map(
        (one) => `${JSON.stringify(fix.edits)}: ${one.code}: ${one.message}`,
      );
    });
    expect(left).toEqual([]);
  });

  test('is there for many codes', () => {
    expect(fixed.size).toBeGreaterThan(25 / everyOf(3));
  });
});

const fixed = new Set<string>();

describe('an error that can be lowered keeps no service from being generated', () => {
  const lowered = Object.entries(everyMessage).filter(
    ([code, { severity }]) => severity === 'error' && canBeLowered(code),
  );
  test.each(lowered.map(([code]) => code).filter(isTried))('%s', async (code) => {
    const explanation = explanations.get(code);
    if (explanation === undefined) throw new Error('It is not explained.');
    const space = new Workspace();
    try {
      const isSchema = explanation.part === 'database';
      const config = isSchema ? describedExample : wholeExample(explanation, explanation.wrong).text;
      space.write('config.yaml', config);
      if (isSchema) space.write('schema.sql', explanation.wrong);
      if (explanation.openapi !== undefined) space.write('openapi.yaml', explanation.openapi);
      if (explanation.api !== undefined) space.write('api.yaml', explanation.api);
      if (explanation.schema !== undefined) space.write('schema.sql', explanation.schema);
      expect((await space.run('build', '--out', 'out')).status).toBe(1);
      expect((await space.run('build', '--out', 'out', '--off', code)).status).toBe(0);
    } finally {
      space.remove();
    }
  });
});
