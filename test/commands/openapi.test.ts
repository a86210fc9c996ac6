/** The API description on the command line: found automatically, named, split into files, and generated. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configuration, Workspace, wrongConfiguration } from './workspace.js';

let space: Workspace;

beforeEach(() => {
  space = new Workspace();
  space.write('config.yaml', configuration('GET /a'));
});
afterEach(() => {
  space.remove();
});

const described = (path: string, parameter = '{ name: q, in: query, schema: { type: integer } }'): string =>
  `openapi: 3.1.0\npaths: { ${path}: { get: { parameters: [${parameter}] } } }\n`;

describe('the description of a configuration', () => {
  test.each(['openapi.yaml', 'openapi.yml', 'openapi.json'])(
    '%s in the same folder is found',
    async (name) => {
      space.write(name, described('/other'));
      const { status, stderr } = await space.check();
      expect(status).toBe(1);
      expect(stderr).toContain(`The API description ${name} does not have 'GET /a'`);
    },
  );

  test('is next to the configuration, not in the working directory', async () => {
    space.write('service/config.yaml', configuration('GET /a'));
    space.write('service/openapi.yaml', described('/b'));
    const { stderr } = await space.check({}, 'service/config.yaml');
    expect(stderr).toContain(`${join('service', 'openapi.yaml')}:2:16: warning No operation serves 'GET /b'`);
  });

  test('is the one that is named', async () => {
    space.write('openapi.yaml', described('/other'));
    space.write('api/news.yaml', described('/a'));
    expect(await space.run('build', '--out', 'out', '--openapi', 'api/news.yaml')).toMatchObject({
      status: 0,
    });
    expect(space.read('out/src/api.ts')).toContain(
      '// Parameters and bodies of requests, as the API description news.yaml declares them.',
    );
    expect(space.read('out/src/api.ts')).toContain('q: integer()');
  });

  test('that is named and not there', async () => {
    const { status, stderr } = await space.run('check', '--openapi', 'nowhere.yaml');
    expect({ status, stderr }).toEqual({
      status: 4,
      stderr: 'nowhere.yaml cannot be read: there is no such file.\n',
    });
  });

  test('may refer to files below its folder, and to no others', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'apikiln-outside-'));
    writeFileSync(join(outside, 'secret.yaml'), 'q: { name: q, in: query }\n');
    space.write('parts/q.yaml', 'q: { name: q, in: query, schema: { type: boolean } }\n');
    symlinkSync(join(outside, 'secret.yaml'), space.path('parts/link.yaml'));
    space.write('openapi.yaml', described('/a', "{ $ref: 'parts/q.yaml#/q' }"));
    expect(await space.check()).toMatchObject({ status: 0 });
    space.write('openapi.yaml', described('/a', "{ $ref: 'parts/link.yaml#/q' }"));
    expect((await space.check()).stderr).toContain("file 'parts/link.yaml' does not exist below the folder");
    space.write('openapi.yaml', described('/a', "{ $ref: 'parts#/q' }"));
    expect((await space.check()).stderr).toContain("file 'parts' does not exist below the folder");
    rmSync(outside, { recursive: true });
  });
});

describe('a service without a description', () => {
  test('has nothing of validation', async () => {
    await space.build();
    const files = Object.keys(space.files('out'));
    expect(files.filter((path) => /validate|api\.ts/.test(path))).toEqual([]);
  });
});

describe('apikiln openapi', () => {
  test('prints a description, which matches the configuration', async () => {
    const { status, stdout, stderr } = await space.run('openapi');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    space.write('openapi.json', stdout);
    expect(await space.check()).toMatchObject({ status: 0, stderr: 'config.yaml is fine.\n' });
  });

  test('writes it to a file, as YAML, and never over one', async () => {
    const args = ['openapi', 'config.yaml', '--out', 'openapi.yaml'];
    expect(await space.run(...args)).toMatchObject({ status: 0, stdout: '' });
    expect(space.read('openapi.yaml')).toMatch(/^openapi: 3\.1\.0\n/);
    expect(await space.check()).toMatchObject({ status: 0 });
    const { status, stderr } = await space.run(...args);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'openapi.yaml already exists. Move it, or choose another name.\n',
    });
    await space.run('openapi', '--format', 'json', '--out', 'other.yaml');
    expect(space.read('other.yaml')).toMatch(/^\{/);
    expect(await space.run('openapi', '--out', 'nowhere/a.json')).toMatchObject({ status: 4 });
  });

  test('prints none for a configuration with errors', async () => {
    space.write('config.yaml', wrongConfiguration);
    const { status, stdout, stderr } = await space.run('openapi');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain('[unknown-fulfillment]');
    const quiet = await space.run('openapi', '--quiet');
    expect([quiet.stderr, stderr].map((text) => text.includes('warning'))).toEqual([false, true]);
    expect((await space.run('openapi', '--merge')).status).toBe(1);
  });

  test('explains itself', async () => {
    expect((await space.run('openapi', '--help')).stdout).toMatchInlineSnapshot(`
      "Usage: apikiln openapi [config] [options]

      Prints an API description (OpenAPI 3.1) derived from the configuration and its schema. With --merge,
      adds the errors that the service sends to an existing API description.

      Arguments:
        config             the configuration (default: ./config.yaml, then /app/config.yaml)

      Options:
        --schema <path>    the SQL that creates the database: a file, or a folder of migrations;
                           <datasource>=<path> for one of several databases (default: schema.sql or
                           migrations next to the configuration)
        --no-schema        skip the schema
        --database <url>   a database server that checks the statements without running them;
                           <datasource>=<url> for one of several databases; \${NAME} is an environment
                           variable
        --format <format>  the format (default: by the name of the file, otherwise json) (choices: "json",
                           "yaml")
        -o, --out <file>   write the description to this new file
        --merge            add the errors that the service sends (400, 401, 503 …) to the API description,
                           and keep the rest of the file
        --openapi <file>   with --merge: the API description (default: openapi.yaml, .yml or .json next to
                           the configuration)
        --quiet            report errors only
        -h, --help         print this help
      "
    `);
  });
});

test('what is printed is the same for readers of YAML 1.1, where on, no and 12:30 are no strings', async () => {
  const text = configuration('GET /a').replace(/schema:.*/s, (schema) => schema);
  space.write('config.yaml', text.replaceAll('GET /a', 'GET /a/{on}'));
  const { stdout } = await space.run('openapi', '--format', 'yaml');
  expect(parse(stdout, { version: '1.1' })).toEqual(parse(stdout));
  expect(stdout).toContain('name: "on"');
});

describe('--merge adds the errors that the service sends', () => {
  const before = `# Written by hand.
openapi: 3.1.0
info: { title: News, version: '1' }
paths:
  /a: # the only one
    get:
      parameters:
        - { name: q, in: query }
      responses:
        '200':
          description: ok # 👍

        '504': { description: too late }
# The rest is shared.
components:
  schemas:
    Error: { type: object, properties: { code: { type: integer } } }
`;

  test('to YAML, where everything else stays', async () => {
    space.write('openapi.yaml', before);
    expect(await space.run('audit', '--fail-on', 'low')).toMatchObject({
      stdout: expect.stringContaining(
        'low: Clients get errors that openapi.yaml does not describe: 400 in 1 operation, 500 in 1, 503 in 1.',
      ) as string,
    });
    expect(await space.run('openapi', '--merge')).toMatchObject({
      status: 0,
      stderr: 'openapi.yaml: 400, 500, 503 added, in 1 operation\n',
    });
    const text = space.read('openapi.yaml');
    expect(text.slice(0, text.indexOf('# The rest'))).toBe(
      `${before.slice(0, before.indexOf('# The rest'))}        "400":
          $ref: "#/components/responses/BadRequest"
        "500":
          $ref: "#/components/responses/InternalServerError"
        "503":
          $ref: "#/components/responses/ServiceUnavailable"
`,
    );
    expect(text).toContain(
      `${before.slice(before.indexOf('# The rest'))}    Error2:
      type: object
      required:
        - message
      properties:
        message:
          type: string
  responses:
    BadRequest:
      description: The request is not valid.
      content:
        application/json:
          schema:
            $ref: "#/components/schemas/Error2"
`,
    );
    expect((await space.run('openapi', '--merge')).stderr).toBe('openapi.yaml: nothing to add\n');
    expect((await space.run('openapi', '--merge', '--quiet')).stderr).toBe('');
    expect(space.read('openapi.yaml')).toBe(text);
    expect((await space.run('audit', '--fail-on', 'never')).stdout).not.toContain('undescribed-errors');
  });

  test.each([
    ['JSON over several lines', 2, '\n'],
    ['JSON in one line', 0, '\n'],
    ['JSON with the line breaks of Windows', 2, '\r\n'],
  ])('to %s', async (_, indent, lineBreak) => {
    const own = parse(before.replace(/ +'504'.*\n/, '')) as object;
    const written = JSON.stringify(own, null, indent).replaceAll('\n', lineBreak);
    space.write('openapi.json', written);
    expect(await space.run('openapi', '--merge')).toMatchObject({ status: 0 });
    const text = space.read('openapi.json');
    expect(text.split('\r\n').length > 1).toBe(lineBreak === '\r\n');
    const merged = JSON.parse(text) as { paths: Record<string, { get: { responses: object } }> };
    expect(Object.keys(merged.paths['/a']?.get.responses ?? {})).toEqual(['200', '400', '500', '503', '504']);
    if (indent > 0)
      expect(text).toBe(JSON.stringify(JSON.parse(text), null, indent).replaceAll('\n', lineBreak));
  });

  test('nowhere where the description has them as default', async () => {
    const text = before.replace("'504'", 'default');
    space.write('api.yaml', text);
    expect((await space.run('openapi', '--merge', '--openapi', 'api.yaml')).stderr).toBe(
      'api.yaml: nothing to add\n',
    );
    expect(space.read('api.yaml')).toBe(text);
  });

  test('not to parts that aliases repeat, and not to other files: it names them', async () => {
    const aliases = before
      .replace('responses:', 'responses: &a')
      .replace('components:', 'x-a: *a\ncomponents:');
    space.write('openapi.yaml', aliases);
    expect(await space.run('openapi', '--merge')).toMatchObject({
      status: 1,
      stderr:
        "openapi.yaml repeats parts by aliases, and an addition would change all of them. Add by hand: 400, 500, 503 of 'GET /a'.\n",
    });
    expect(space.read('openapi.yaml')).toBe(aliases);
    space.write('a.yaml', "get: { responses: { '200': { description: ok } } }\n");
    space.write('openapi.yaml', 'openapi: 3.1.0\npaths: { /a: { $ref: a.yaml } }\n');
    expect(await space.run('openapi', '--merge')).toMatchObject({
      status: 0,
      stderr:
        "openapi.yaml: nothing to add\nResponses in other files are not changed. Add by hand: 500, 503, 504 of 'GET /a'.\n",
    });
  });

  test('only to a description that is there', async () => {
    expect(await space.run('openapi', '--merge')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('There is no API description to add to.') as string,
    });
  });
});
