/** The exceptions that `missing-row` suggests for rows that may be missing: with them nothing is reported any more. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkWithDatabases } from '../../compiler/compile.js';
import { withEdits } from '../../compiler/read/diagnostics/apply-fixes.js';
import type { Diagnostic } from '../../compiler/read/diagnostics/diagnostic.js';
import { schemasOf } from '../../compiler/tools/commands/shared/files/find-schemas.js';
import { repository } from '../helpers/service-fixture.js';

const folder = join(repository, 'fixtures/errors/missing-row');

const described = {
  source: { path: 'openapi.yaml', text: readFileSync(join(folder, 'openapi.yaml'), 'utf8') },
  read: () => undefined,
};

async function diagnosticsOf(text: string, isDescribed: boolean): Promise<readonly Diagnostic[]> {
  const input = { config: { path: 'config.yaml', text }, ...(isDescribed ? { description: described } : {}) };
  const databases = schemasOf({}, { config: join(folder, 'config.yaml'), folder });
  return (await checkWithDatabases(input, databases)).diagnostics;
}

const text = readFileSync(join(folder, 'config.yaml'), 'utf8');

test.each([
  ['with a description', text, true, 2],
  ['without a description', text, false, 1],
  ['without a conflict', text.replace(' ON CONFLICT DO NOTHING', ''), true, 1],
])('%s', async (_, config, isDescribed, count) => {
  const isFixed = ({ code, fix }: Diagnostic): boolean => code === 'missing-row' && fix !== undefined;
  const edits = (await diagnosticsOf(config, isDescribed)).filter(isFixed).map(({ fix }) => fix?.edits ?? []);
  expect(edits).toHaveLength(count);
  const after = await diagnosticsOf(withEdits(config, edits.flat()), isDescribed);
  expect(after.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(after.filter(isFixed)).toEqual([]);
});
