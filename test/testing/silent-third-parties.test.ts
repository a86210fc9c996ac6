/** `fault: timeout` in tests: the call's deadline is long enough for the datasource's `timeout`, and shortened if that is long. */
import { expect, test } from 'vitest';
import { Workspace } from '../commands/workspace.js';
import { verdicts } from './workspace-tests.js';

const config = `specification: '1.0'
operations:
  GET /one:
    fulfillments:
      - name: got
        type: READ
        datasource: slow
        onFailure: continue
        instructions: [{ request: { url: /x, httpType: GET } }]
    responses: [{ name: ok, default: true, statuscode: 200, schema: { failure: FAILURE(got) } }]
datasources:
  slow: { type: rest, url: 'https://slow.example.com', timeout: 2 }
`;

const tests = (body: string, more = ''): string => `${more}
tests:
  - name: it does not respond
    request: GET /one
    datasources: { slow: [{ request: GET /x, response: { fault: timeout } }] }
    response: ${body}
`;

test.each([
  ['the timeout is met', config, tests('{ body: { failure: timeout } }')],
  ['a long one is not', config.replace('timeout: 2', 'timeout: 60'), tests('{ statuscode: 504 }')],
  [
    'REQUEST_TIMEOUT of the file wins',
    config,
    tests('{ statuscode: 504 }', 'environment: { REQUEST_TIMEOUT: 700 }'),
  ],
])('%s', async (_name, text, file) => {
  const space = new Workspace();
  space.write('config.yaml', text);
  space.write('config.test.yaml', file);
  const { stdout } = await space.run('test', '--workers', '1');
  space.remove();
  expect(verdicts(stdout)).toEqual([expect.stringMatching(/^✓/)]);
});
