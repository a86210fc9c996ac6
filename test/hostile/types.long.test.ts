/** Every accepted service compiles with TypeScript, even with keywords in all of its texts. */
import { expect, test } from 'vitest';
import { compile } from '../../compiler/compile.js';
import type { DescriptionInput } from '../../compiler/read/openapi/documents.js';
import { assets } from '../emit/compile-text.js';
import { hostileTexts } from '../emit/hostile.js';
import { manyRuns } from '../helpers/runs.js';
import { typeErrors, type ServiceSource } from '../helpers/type-check.js';
import { acceptedPositions, textsWith } from './accepted.js';
import { filesWith, type HostileFiles } from './service.js';
import { moreTexts } from './texts.js';

const words = [
  'Please await the next release',
  'async import yield return class */',
  'await',
  'await (x)',
  'return',
  'item => item.id',
  'new Date()',
  'call.request',
];
const texts = manyRuns ? [...new Set([...words, ...moreTexts, ...hostileTexts])] : words;

async function serviceOf(name: string, files: HostileFiles): Promise<ServiceSource> {
  const description = (path: 'openapi.json' | 'partner.json'): DescriptionInput => ({
    source: { path, text: files[path] },
    read: () => undefined,
  });
  const compiled = await compile(
    {
      config: { path: 'config.yaml', text: files['config.yaml'] },
      description: description('openapi.json'),
      thirdParty: () => description('partner.json'),
    },
    assets,
  );
  return { name, files: compiled.files ?? [] };
}

test('words of the language change no type', async () => {
  const services = await Promise.all(
    texts.map((text, index) => {
      const positions = acceptedPositions(text);
      expect(positions.size, text).toBeGreaterThan(100);
      return serviceOf(`s${index}`, filesWith(textsWith(text, positions)));
    }),
  );
  for (const { files } of services) expect(files.length).toBeGreaterThan(0);
  expect(typeErrors(services)).toEqual([]);
});
