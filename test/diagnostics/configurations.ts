/** The configurations of the fixtures without errors. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkSource } from '../../compiler/compile.js';
import { repository } from '../helpers/service-fixture.js';

const folder = join(repository, 'fixtures/services');

export const configurations = readdirSync(folder)
  .filter((name) => existsSync(join(folder, name, 'config.yaml')))
  .map((name) => ({ name, text: readFileSync(join(folder, name, 'config.yaml'), 'utf8') }))
  .filter(
    ({ text }) =>
      !checkSource({ config: { path: 'config.yaml', text } }).diagnostics.some(
        ({ severity }) => severity === 'error',
      ),
  );
