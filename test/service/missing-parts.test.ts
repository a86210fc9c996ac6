/** Parts required by a service: the built service, `test`, `serve` and `dev` do not start without them. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compile } from '../../compiler/compile.js';
import { Workspace } from '../commands/workspace.js';
import { DevProcess } from '../dev/dev-process.js';
import { assets } from '../emit/compile-text.js';
import { RunningService } from '../helpers/running-service.js';
import { translateServices } from '../helpers/service-build.js';
import { builtTool } from '../helpers/shared-servers.js';

const cases = [
  {
    name: 'own-login',
    says: 'src/middleware.ts is missing: the authentication people is of type custom',
    config: `specification: "1.0"
operations:
  GET /who:
    responses: [{ name: ok, default: true, statuscode: 200, schema: { sub: CALLER($.sub) } }]
authentications:
  people: { type: custom }
`,
  },
  {
    name: 'variable',
    says: 'The environment variable SHOP_NAME is not set',
    config: `specification: "1.0"
operations:
  GET /who:
    responses: [{ name: ok, default: true, statuscode: 200, schema: { shop: ENV(SHOP_NAME) } }]
`,
  },
];

let folders: Map<string, string>;

beforeAll(async () => {
  const built = await Promise.all(
    cases.map(async ({ name, config }) => {
      const { files } = await compile({ config: { path: 'config.yaml', text: config } }, assets);
      if (files === undefined) throw new Error('The configuration has errors.');
      return { name, files };
    }),
  );
  folders = translateServices('missing-parts', built);
});

describe.each(cases)('$name', ({ name, says, config }) => {
  const space = new Workspace();
  space.write('config.yaml', config);
  space.write('config.test.yaml', 'tests: [{ name: who, request: GET /who }]\n');

  afterAll(() => {
    space.remove();
  });

  test('the built service ends with one sentence', async () => {
    await expect(RunningService.start(folders.get(name) ?? '', {})).rejects.toThrow(says);
  });

  test('so does serve', async () => {
    const serve = promisify(execFile)(process.execPath, [await builtTool(), 'serve'], {
      cwd: space.folder,
      env: { PATH: process.env.PATH, PORT: '0' },
    });
    await expect(serve).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining(says) as string });
  });

  test('dev says it, and goes on', async () => {
    const dev = await DevProcess.start(space, {});
    try {
      expect(await dev.until(new RegExp(says.replaceAll('.', String.raw`\.`)))).toBe(says);
    } finally {
      await dev.stop('SIGKILL');
    }
  });
});

test('a test of such a service fails with the same sentence; a variable is set for tests', async () => {
  const space = new Workspace();
  try {
    for (const { config, says, name } of cases) {
      space.write('config.yaml', config);
      space.write('config.test.yaml', 'tests: [{ name: who, request: GET /who }]\n');
      const { status, stdout, stderr } = await space.run('test');
      const isSet = name === 'variable';
      expect({ status, isSaid: (stdout + stderr).includes(says) }).toEqual({
        status: isSet ? 0 : 4,
        isSaid: !isSet,
      });
    }
  } finally {
    space.remove();
  }
});
