/** An API description never includes content of the configuration or of `.env`, whatever its references are. */
import { linkSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { configuration, Workspace } from './workspace.js';

let space: Workspace;

beforeEach(() => {
  space = new Workspace();
  space.write('api/config.yaml', configuration('GET /a'));
  space.write('api/.env', 'SECRET: hunter2\n');
  space.write('api/.env.production', 'SECRET: hunter2\n');
  space.write('api/out/.env', 'SECRET: hunter2\n');
  symlinkSync('config.yaml', space.path('api/linked.yaml'));
  symlinkSync('.env', space.path('api/variables.yaml'));
  linkSync(space.path('api/config.yaml'), space.path('api/hard.yaml'));
  linkSync(space.path('api/.env'), space.path('api/hard-env.yaml'));
  symlinkSync('.', space.path('api/again'));
});

afterEach(() => {
  space.remove();
});

test.each([
  ...['config.yaml', './config.yaml', 'x/../config.yaml', 'config%2Eyaml', 'again/config.yaml'],
  ...['linked.yaml', 'hard.yaml', 'variables.yaml', 'hard-env.yaml', 'again/again/linked.yaml'],
  ...['.env', '.env.production', 'out/.env', '%2Eenv'],
])('%s', async (path) => {
  const response = { description: 'ok', content: { 'application/json': { schema: { $ref: `${path}#/x` } } } };
  const paths = { '/a': { get: { responses: { 200: response } } } };
  space.write(
    'api/openapi.yaml',
    JSON.stringify({ openapi: '3.1.0', info: { title: 't', version: '1' }, paths }),
  );
  const { status, stderr } = await space.run('check', 'api/config.yaml');
  expect(stderr).toContain('[private-reference]');
  expect(stderr).not.toContain('hunter2');
  expect(status).toBe(1);
});
