/** `apikiln init --from-openapi`: the written files pass `check`, respond to requests, and pass their generated tests. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { manyRuns } from '../helpers/runs.js';
import { repository } from '../helpers/service-fixture.js';
import { sharedMariadb, sharedPostgres } from '../helpers/shared-servers.js';
import { runInitService } from './init-service.js';
import { Workspace } from './workspace.js';

let space: Workspace;

beforeEach(() => {
  space = new Workspace();
});
afterEach(() => {
  space.remove();
});

/** A description with lists with common filters and paging, nested rows, names that are SQL keywords, and all types. */
const description = `openapi: 3.1.0
info: { title: Kennel, version: '1' }
paths:
  /pets:
    get:
      parameters:
        - { name: kind, in: query, schema: { type: string } }
        - { name: page, in: query, schema: { type: integer } }
        - { name: pageSize, in: query, schema: { type: integer, maximum: 50 } }
      responses:
        '200':
          description: Pets
          content:
            application/json:
              schema:
                type: object
                required: [items, total]
                properties:
                  items: { type: array, items: { $ref: 'models/pet.yaml' } }
                  total: { type: integer }
    post:
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: '#/components/schemas/NewPet' } } }
      responses:
        '201': { description: Made, content: { application/json: { schema: { $ref: 'models/pet.yaml' } } } }
  /pets/{petId}:
    parameters: [{ name: petId, in: path, required: true, schema: { type: integer } }]
    get:
      responses:
        '200': { description: One, content: { application/json: { schema: { $ref: 'models/pet.yaml' } } } }
    put:
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: '#/components/schemas/NewPet' } } }
      responses:
        '200': { description: One, content: { application/json: { schema: { $ref: 'models/pet.yaml' } } } }
    patch:
      requestBody:
        required: true
        content:
          application/json:
            schema: { type: object, properties: { name: { type: string }, weight: { type: [number, 'null'] } } }
      responses:
        '200': { description: One, content: { application/json: { schema: { $ref: 'models/pet.yaml' } } } }
    delete: { responses: { '204': { description: Gone } } }
  /pets/{petId}/orders:
    parameters: [{ name: petId, in: path, required: true, schema: { type: integer } }]
    get:
      parameters:
        - { name: limit, in: query, schema: { type: integer, default: 10 } }
        - { name: offset, in: query, schema: { type: integer, default: 0 } }
      responses:
        '200':
          description: Orders
          content:
            application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Order' } } }
    post:
      requestBody:
        required: true
        content:
          application/json: { schema: { type: object, required: [group], properties: { group: { type: string } } } }
      responses:
        '201': { description: Made, content: { application/json: { schema: { $ref: '#/components/schemas/Order' } } } }
  /pets/{petId}/walk:
    post:
      parameters: [{ name: petId, in: path, required: true, schema: { type: integer } }]
      responses:
        '200':
          description: Where to
          content:
            application/json:
              schema:
                type: object
                required: [to, steps]
                properties: { to: { type: string, enum: ["the vet's", park] }, steps: { type: array, items: { type: integer } } }
  /pets/findByMood:
    get:
      parameters: [{ name: mood, in: query, schema: { type: string } }]
      responses:
        '200': { description: Pets, content: { application/json: { schema: { type: array, items: { $ref: 'models/pet.yaml' } } } } }
  /toys:
    post:
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Toy' } } } }
      responses: { '200': { description: Made, content: { application/json: { schema: { $ref: '#/components/schemas/Toy' } } } } }
  /toys/{toyId}:
    get:
      parameters: [{ name: toyId, in: path, required: true, schema: { type: integer, format: int64 } }]
      responses: { '200': { description: One, content: { application/json: { schema: { $ref: '#/components/schemas/Toy' } } } } }
  /keeper:
    post:
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Keeper' } } } }
      responses: { '201': { description: Made, content: { application/json: { schema: { $ref: '#/components/schemas/Keeper' } } } } }
  /keeper/{username}:
    parameters: [{ name: username, in: path, required: true, schema: { type: string } }]
    get:
      responses: { '200': { description: One, content: { application/json: { schema: { $ref: '#/components/schemas/Keeper' } } } } }
    put:
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Keeper' } } } }
      responses: { '200': { description: One, content: { application/json: { schema: { $ref: '#/components/schemas/Keeper' } } } } }
    delete:
      parameters: [{ name: force, in: query, schema: { type: boolean } }]
      responses: { '204': { description: Gone } }
components:
  schemas:
    Toy: { type: object, properties: { id: { type: integer, format: int64 }, label: { type: string } } }
    Keeper:
      type: object
      properties: { id: { type: integer }, username: { type: string }, mail: { type: string }, password: { type: string, writeOnly: true } }
    NewPet:
      type: object
      required: [name, kind]
      properties:
        name: { type: string, maxLength: 40 }
        kind: { type: string, enum: [cat, "dog's"] }
        weight: { type: number }
        tags: { type: array, items: { type: string } }
        homeAddress: { type: object, properties: { city: { type: string } } }
    Order:
      type: object
      required: [id, group]
      properties: { id: { type: string, format: uuid }, group: { type: string } }
`;
const pet = `allOf:
  - $ref: '#/Base'
  - type: object
    required: [id, good]
    properties:
      id: { type: integer, readOnly: true }
      good: { type: boolean }
Base:
  type: object
  required: [name, tags]
  properties:
    name: { type: string }
    kind: { type: string }
    weight: { type: [number, 'null'] }
    tags: { type: array, items: { type: string } }
    homeAddress: { type: [object, 'null'], properties: { city: { type: string } } }
`;

describe.each(['postgresql', 'mysql'] as const)('%s', (kind) => {
  test.each(['a', 'b'] as const)(
    'in syntax %s rows are listed, added, changed and deleted',
    async (syntax) => {
      space.write('given/kennel.yaml', description);
      space.write('given/models/pet.yaml', pet);
      const options = ['--syntax', syntax, '--database', kind, '--from-openapi', 'given/kennel.yaml'];
      const { status, stderr } = await space.run('init', 'kennel', ...options);
      expect({ status, stderr }).toMatchObject({ status: 0 });
      expect(stderr).toContain('16 operations, 3 of them placeholders');
      expect(space.read('kennel/openapi.yaml')).toBe(description);
      expect(space.read('kennel/models/pet.yaml')).toBe(pet);
      const server = kind === 'postgresql' ? await sharedPostgres() : await sharedMariadb();
      const database = `init_openapi_${syntax}`;
      await server.createDatabase(database);
      await server.exec(database, space.read('kennel/schema.sql'));
      const { host, port, user, password } = server;
      const url = `${kind}://${user}:${password}@${host}:${port}/${database}`;
      const fine = { status: 0, stderr: 'kennel/config.yaml is fine.\n' };
      const unasked = await space.run('check', 'kennel/config.yaml');
      expect(unasked).toMatchObject(fine);
      expect(await space.run('check', 'kennel/config.yaml', '--database', url)).toMatchObject(fine);
      const tested = await space.run('test', 'kennel/config.yaml', '--database', url, '--workers', '1');
      expect(tested.stdout + tested.stderr).not.toContain('✗');
      expect(tested).toMatchObject({ status: 0 });
      for (const placeholder of [
        'GET /pets/findByMood',
        'POST /pets/{petId}/walk',
        'DELETE /keeper/{username}',
      ])
        expect(tested.stdout).toContain(`${placeholder} is a placeholder, so it is 501: `);
      expect(tested.stdout).toContain('POST /keeper adds a row, which is read as it was sent');

      const service = await runInitService(space, 'kennel', server, database);
      try {
        const ask = async (request: string, expected: number, body?: unknown): Promise<unknown> => {
          const response = await service.ask(request, body);
          expect(response, `${request}\n${service.printed()}`).toMatchObject({ status: expected });
          return response.body;
        };
        const tom = { name: 'Tom', kind: 'cat', weight: 4.5, tags: ['grey'], homeAddress: { city: 'Ulm' } };
        expect(await ask('POST /pets', 201, tom)).toEqual({ id: 1, good: false, ...tom });
        const rex = { name: 'Rex', kind: "dog's" };
        const bare = { id: 2, good: false, ...rex, weight: null, tags: [], homeAddress: null };
        expect(await ask('POST /pets', 201, rex)).toEqual(bare);
        await ask('POST /pets', 400, { name: 'Rex' });
        expect(await ask('GET /pets', 200)).toMatchObject({ total: 2, items: [{ name: 'Tom' }, bare] });
        expect(await ask('GET /pets?kind=cat', 200)).toMatchObject({ total: 1, items: [tom] });
        expect(await ask('GET /pets?page=2&pageSize=1', 200)).toEqual({ total: 2, items: [bare] });
        expect(await ask('GET /pets/1', 200)).toMatchObject(tom);
        expect(await ask('PATCH /pets/1', 200, { weight: 5 })).toMatchObject({ ...tom, weight: 5 });
        expect(await ask('PATCH /pets/1', 200, { name: 'Tim' })).toMatchObject({ name: 'Tim', weight: 5 });
        expect(await ask('PATCH /pets/1', 200, { weight: null })).toMatchObject({
          name: 'Tim',
          weight: null,
        });
        expect(await ask('PUT /pets/1', 200, rex)).toEqual({ ...bare, id: 1 });
        const order = (await ask('POST /pets/2/orders', 201, { group: 'food' })) as { id: string };
        expect(order).toEqual({ id: expect.stringMatching(/^[\da-f-]{36}$/) as string, group: 'food' });
        expect(await ask('GET /pets/2/orders', 200)).toEqual([order]);
        expect(await ask('GET /pets/2/orders?offset=1', 200)).toEqual([]);
        expect(await ask('GET /pets/1/orders', 200)).toEqual([]);
        expect(await ask('POST /pets/1/walk', 501)).toEqual({
          message: 'POST /pets/{petId}/walk is not written yet',
        });
        await ask('DELETE /pets/1', 204);
        for (const missing of ['GET', 'DELETE'])
          expect(await ask(`${missing} /pets/1`, 404)).toEqual({ message: 'There is no such pet' });
        await ask('PATCH /pets/1', 404, { weight: 5 });
        await ask('PUT /pets/1', 404, rex);

        // The client sends the key in the path; the database generates one only if it is missing.
        const ball = { id: 10, label: 'ball' };
        expect(await ask('POST /toys', 200, ball)).toEqual(ball);
        expect(await ask('GET /toys/10', 200)).toEqual(ball);
        expect(await ask('POST /toys', 200, { label: 'rope' })).toEqual({ id: 11, label: 'rope' });
        const bob = { id: 3, username: 'bob', mail: 'bob@example.com' };
        expect(await ask('POST /keeper', 201, { ...bob, password: 'p' })).toEqual(bob);
        expect(await ask('GET /keeper/bob', 200)).toEqual(bob);
        const made = (await ask('POST /keeper', 201, { mail: 'a@example.com' })) as { username: string };
        expect(made.username).toMatch(/^[\da-f-]{36}$/);
        const rob = { ...bob, username: 'rob' };
        expect(await ask('PUT /keeper/bob', 200, rob)).toEqual(rob);
        await ask('GET /keeper/bob', 404);
        await ask('PUT /keeper/bob', 404, rob);
        expect(await ask('PUT /keeper/rob', 200, { mail: 'r@example.com' })).toMatchObject({
          username: 'rob',
        });
      } finally {
        await service.stop();
      }
    },
  );
});

const folder = join(repository, 'node_modules/@readme/oas-examples');

const written = ['3.0/yaml/petstore.yaml', '3.1/yaml/train-travel.yaml', '3.0/json/star-trek.json'];

test.each(manyRuns ? written : written.slice(0, 1))(
  'the tests that are written for %s pass',
  async (path) => {
    expect((await space.run('init', '.', '--from-openapi', join(folder, path))).status).toBe(0);
    const { status, stdout, stderr } = await space.run('test', '--workers', '1');
    expect({ status, stdout, stderr }).toMatchObject({ status: 0 });
  },
);

const files = ['3.0', '3.1'].flatMap((version) =>
  readdirSync(join(folder, version, 'json'))
    .filter((name) => name.endsWith('.json'))
    .map((name) => `${version}/json/${name}`),
);

describe('public descriptions', () => {
  // Every third file, and the file without operations.
  const some = files.filter((path, index) => manyRuns || index % 3 === 0 || path.endsWith('/webhooks.json'));
  test.each(some)('%s', async (path) => {
    const { status, stderr } = await space.run('init', '.', '--from-openapi', join(folder, path));
    if (path.endsWith('/webhooks.json')) {
      expect({ status, stderr }).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/webhooks\.json has no operations: .*\.\n$/) as string,
      });
      expect(space.files()).toEqual({});
      return;
    }
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const checked = await space.run('check', '--format', 'json');
    const { diagnostics } = JSON.parse(checked.stdout) as { diagnostics: { file: string; code: string }[] };
    // Problems of the description itself remain.
    expect(diagnostics.filter(({ file }) => file === 'config.yaml')).toEqual([]);
    expect(checked.status).toBe(0);
  });
});

test('what is read-only in the description is set by the database', async () => {
  const responses = (status: number): string =>
    `responses: { '${status}': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Note' } } } } }`;
  const body =
    "requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Note' } } } }";
  space.write(
    'notes.yaml',
    `openapi: 3.0.3
info: { title: Notes, version: '1' }
paths:
  /notes:
    post:
      ${body}
      ${responses(201)}
  /notes/{id}:
    put:
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      ${body}
      ${responses(200)}
components:
  schemas:
    Note:
      type: object
      required: [id, text, createdAt]
      properties:
        id: { type: integer, readOnly: true }
        text: { type: string }
        createdAt: { type: string, format: date-time, readOnly: true }
        updatedAt: { type: string, format: date-time, readOnly: true }
`,
  );
  expect((await space.run('init', 'made', '--from-openapi', 'notes.yaml')).status).toBe(0);
  expect(space.read('made/schema.sql')).toContain(`(
  id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  text text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);`);
  const config = space.read('made/config.yaml');
  expect(config).toContain('INSERT INTO notes (text)\n');
  expect(config).toMatch(/SET text = :\[BODY\(\$\.text\)\],\n +updated_at = current_timestamp\n/);
  expect(space.read('made/config.test.yaml')).toMatch(/body:\n +text: text\n +response/);
  expect((await space.run('test', 'made/config.yaml')).status).toBe(0);
});

test('a file that is not a description of operations is reported in a sentence, and nothing is written', async () => {
  const say = async (text: string): Promise<string> => {
    space.write('given.yaml', text);
    const { status, stderr } = await space.run('init', 'out', '--from-openapi', 'given.yaml');
    expect(status).toBe(1);
    expect(space.exists('out')).toBe(false);
    return stderr;
  };
  expect(await say('swagger: "2.0"')).toBe(
    'Nothing was written, because of given.yaml:1: This API description cannot be read: it is written in Swagger 2.0.\n',
  );
  const broken = description.replaceAll('models/pet.yaml', 'models/cat.yaml');
  expect(await say(broken)).toMatch(/^Nothing was written, because of given\.yaml:\d+: .*models\/cat\.yaml/);
  expect((await space.run('init', 'out', '--from-openapi', 'nowhere.yaml')).status).toBe(4);
  const both = ['--from-openapi', 'given.yaml', '--from-database', 'postgresql://localhost/x'];
  expect((await space.run('init', 'out', ...both)).status).toBe(2);
});

test('files that refer to the description by its name become one file', async () => {
  space.write('given/kennel.yaml', description);
  const base = pet.replace("'#/Base'", 'base.yaml').split('Base:\n');
  space.write('given/models/pet.yaml', base[0] ?? '');
  space.write('given/models/base.yaml', `# of kennel.yaml\n${(base[1] ?? '').replaceAll(/^ {2}/gm, '')}`);
  expect((await space.run('init', 'out', '--from-openapi', 'given/kennel.yaml')).status).toBe(0);
  expect(Object.keys(space.files('out')).sort()).toEqual([
    '.gitignore',
    'config.test.yaml',
    'config.yaml',
    'openapi.yaml',
    'schema.sql',
  ]);
  expect(await space.run('check', 'out/config.yaml')).toMatchObject({
    stderr: 'out/config.yaml is fine.\n',
  });
});
