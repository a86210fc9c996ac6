/** Third-party descriptions next to a configuration: also for an unsaved configuration, and never outside its folder. */
import { expect, test } from 'vitest';
import { findThirdParty } from '../../compiler/tools/commands/shared/files/description.js';
import { Workspace } from './workspace.js';

test('files below the folder are found, whether the configuration is there or not', () => {
  const space = new Workspace();
  space.write('service/api/bank.yaml', 'openapi: 3.0.0\n');
  space.write('bank.yaml', 'openapi: 3.0.0\n');
  const find = findThirdParty({ config: space.path('service/config.yaml'), folder: space.folder });
  const found = [
    'api/bank.yaml',
    'none.yaml',
    '../bank.yaml',
    'api/../../bank.yaml',
    '..\\bank.yaml',
    'C:bank.yaml',
  ].map((file) => find(file));
  expect(found.map((one) => (typeof one === 'object' ? one.source.path : one))).toEqual([
    'service/api/bank.yaml',
    ...Array.from({ length: 5 }, () => undefined),
  ]);
  expect(find(space.path('bank.yaml'))).toBeUndefined();
  space.remove();
});
