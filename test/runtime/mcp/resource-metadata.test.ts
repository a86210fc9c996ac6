/** The metadata of the endpoint of MCP clients, for values of MCP_URL. */
import { expect, test } from 'vitest';
import { ResourceMetadata } from '../../../runtime/mcp/resource-metadata.js';
import { Environment } from '../../../runtime/server/environment.js';

const issuers = [{ authorizationServer: 'https://id.example' }, { authorizationServer: undefined }];
const base = '/.well-known/oauth-protected-resource';

function read(MCP_URL: string | undefined, of = issuers): [ResourceMetadata | undefined, readonly string[]] {
  const environment = new Environment(MCP_URL === undefined ? {} : { MCP_URL }, '');
  return [ResourceMetadata.from(environment, of, '/tools'), environment.problems];
}

test.each([
  ['https://api.example/mcp', `https://api.example${base}/mcp`],
  [' https://api.example:8443/a/b/mcp ', `https://api.example:8443${base}/a/b/mcp`],
  ['https://api.example', `https://api.example${base}`],
  ['https://api.example/', `https://api.example${base}`],
  ['http://localhost:8080/mcp', `http://localhost:8080${base}/mcp`],
  ['https://api.example/"\\', `https://api.example${base}/%22/`],
])('%s', (url, address) => {
  const [metadata, problems] = read(url);
  expect({ address: metadata?.address, problems }).toEqual({ address, problems: [] });
  expect(metadata?.body).toEqual({
    resource: url.trim(),
    authorization_servers: ['https://id.example'],
    bearer_methods_supported: ['header'],
  });
  expect(
    ['', '/tools', new URL(url).pathname.replace(/^\/$/, '')].every((path) => metadata?.owns(base + path)),
  ).toBe(true);
  expect(metadata?.owns(`${base}/other`)).toBe(false);
});

test.each([undefined, '', '  '])('there are none with %j', (url) => {
  expect(read(url)).toEqual([undefined, []]);
});

test('there are none without an issuer that is a server', () => {
  expect(read('https://api.example/mcp', [])).toEqual([undefined, []]);
  expect(read('https://api.example/mcp', [{ authorizationServer: undefined }])).toEqual([undefined, []]);
});

test.each([
  ['api.example', 'is not a URL'],
  ['http://api.example/mcp', 'must begin with https'],
  ['https://ada:secret@api.example/mcp', 'must not contain a user, a query or a fragment'],
  ['https://api.example/mcp?', 'must not contain a user, a query or a fragment'],
  ['https://api.example/mcp#a', 'must not contain a user, a query or a fragment'],
])('%s stops the start', (url, problem) => {
  const [metadata, problems] = read(url);
  expect(metadata).toBeUndefined();
  expect(problems).toEqual([expect.stringContaining(`MCP_URL ${problem}`)]);
  expect(problems.join('')).not.toContain('secret');
});
