/** `apikiln init --from-openapi` for descriptions that cannot be served completely: messages and written files. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Workspace } from './workspace.js';

let space: Workspace;

beforeEach(() => {
  space = new Workspace();
});
afterEach(() => {
  space.remove();
});

const described = (paths: object): string =>
  JSON.stringify({ openapi: '3.1.0', info: { title: 'Files', version: '1' }, paths });
const get = (schema: object = { type: 'string' }) => ({
  get: { responses: { 200: { description: 'OK', content: { 'application/json': { schema } } } } },
});

async function written(text: string): Promise<{ readonly status: number; readonly stderr: string }> {
  space.write('api.json', text);
  return space.run('init', 'out', '--from-openapi', 'api.json', '--database', 'mysql');
}

test.each([1, 2, 3])('each of %i errors is named', async (count) => {
  const missing = Array.from({ length: count }, (_, index) => `none${index}.yaml`);
  const paths = missing.map(($ref, index) => [`/a${index}`, get({ $ref })]);
  const { status, stderr } = await written(described(Object.fromEntries(paths) as object));
  const reasons = missing.map(
    (file) =>
      `api.json:1: Broken reference '${file}': file '${file}' does not exist below the folder of the API description.`,
  );
  const all = count === 1 ? ` ${reasons.join('')}` : reasons.map((reason) => `\n  ${reason}`).join('');
  expect(stderr).toBe(`Nothing was written, because of${all}\n`);
  expect([status, space.exists('out')]).toEqual([1, false]);
});

test('an operation that cannot be served is left out, with the reason; if there is no other, nothing is written', async () => {
  const wrong = { '/files/{a}{b}': get() };
  const some = await written(described({ ...wrong, '/up': get() }));
  expect(some.stderr).toContain("1 operation, 1 of them a placeholder: look for '# A placeholder'");
  expect(space.read('out/config.yaml')).toMatch(
    /^ {2}# GET \/files\/\{a\}\{b\} is left out: The path .* cannot be served/m,
  );
  expect(await space.run('check', 'out/config.yaml')).toMatchObject({ status: 0 });
  expect(await written(described(wrong))).toMatchObject({
    status: 1,
    stderr: 'Nothing was written, because no operation of the description can be served.\n',
  });
});

test.each<[urls: readonly string[], basePath: string]>([
  [['https://api.example.com/api/v1/'], '/api/v1'],
  [['https://a.example.com/api', '/api'], '/api'],
  [['https://a.example.com/{v}'], '/v2'],
  [['https://a.example.com/api', 'https://b.example.com'], ''],
  [['https://a.example.com/%C3%BC'], ''],
  [['https://a.example.com'], ''],
  [[], ''],
])('the path of the servers %j is %j', async (urls, basePath) => {
  const servers = urls.map((url) => ({ url, variables: { v: { default: 'v2' } } }));
  const text = JSON.stringify({ ...(JSON.parse(described({ '/up': get() })) as object), servers });
  expect(await written(text)).toMatchObject({ status: 0 });
  const config = space.read('out/config.yaml');
  expect(/^ {2}basePath: (.*)$/m.exec(config)?.[1] ?? '').toBe(basePath);
  expect(config).toContain('\n  GET /up:');
  expect(space.read('out/config.test.yaml')).toContain(`request: GET ${basePath}/up`);
  expect(await space.run('check', 'out/config.yaml')).toMatchObject({ status: 0 });
});

test('a path with characters beyond ASCII is encoded in operations and requests of tests', async () => {
  expect(
    (await written(described({ '/möbel': get({ type: 'array', items: { type: 'string' } }) }))).status,
  ).toBe(0);
  expect(space.read('out/config.yaml')).toContain('  GET /m%C3%B6bel:\n');
  expect(space.read('out/config.test.yaml')).toContain('request: GET /m%C3%B6bel\n');
});
