/** The third parties of `apikiln dev`: stubs on this machine, behind the path of the datasource's URL. */
import { afterEach, expect, test } from 'vitest';
import { DevStubs } from '../../compiler/commands/dev-stubs.js';
import { readConfig } from '../../compiler/config/read-config.js';
import { Report } from '../../compiler/diagnostics/report.js';
import { Workspace } from '../commands/workspace.js';

const config = `specification: '1.0'
operations: {}
datasources:
  chat: { type: rest, url: 'https://chat.example.com/hooks/\${CHAT_HOOK}/\${CHAT_ROOM:kiln}' }
`;

const space = new Workspace();
const stubs = new DevStubs(
  () => undefined,
  () => undefined,
);

afterEach(async () => {
  await stubs.stop();
  space.remove();
});

test('variables in the path of a URL have the values of the environment', async () => {
  space.write(
    'config.stubs.yaml',
    `datasources:
  chat: { request: POST /hooks/secret/kiln/messages, response: { statuscode: 202 } }
`,
  );
  const { datasources = [] } = readConfig({ path: 'config.yaml', text: config }, new Report()) ?? {};
  const { settings, diagnostics } = await stubs.prepare(datasources, {
    config: space.path('config.yaml'),
    folder: space.folder,
    environment: { CHAT_HOOK: 'secret' },
    record: false,
    note: () => undefined,
  });
  expect(diagnostics).toEqual([]);
  const url = settings.DATASOURCE_CHAT_URL ?? '';
  expect((await fetch(`${url}/messages`, { method: 'POST' })).status).toBe(202);
});
