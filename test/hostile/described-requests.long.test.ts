/** Services compared with their API descriptions: every response to random requests, valid and hostile, is described. */
import { createRequire } from 'node:module';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { describe as describeService } from '../../compiler/tools/describe.js';
import { hostileTexts } from '../emit/hostile.js';
import { compiledFixtures } from '../helpers/compiled-fixtures.js';
import { runFixture, type FixtureRun } from '../helpers/fixture-run.js';
import { Random } from '../helpers/random.js';
import { runs } from '../helpers/runs.js';
import { translateServices } from '../helpers/service-build.js';
import {
  databasesOf,
  serviceFixtures,
  withOwnFiles,
  type ServiceFixture,
} from '../helpers/service-fixture.js';
import { moreTexts } from './texts.js';

// Ajv is a CommonJS module, and its types do not match the imported value.
const { Ajv2020: Ajv } = createRequire(import.meta.url)('ajv/dist/2020.js') as { Ajv2020: typeof Ajv2020 };

type Json = Readonly<Record<string, unknown>>;

interface Sent {
  readonly method: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Operation {
  readonly path: string;
  readonly method: string;
  readonly parameters: readonly Json[];
  readonly body: { readonly type: string; readonly schema: Json } | undefined;
  readonly responses: Json;
}

const values: readonly unknown[] = [
  ...hostileTexts,
  ...moreTexts,
  0,
  -1,
  1e21,
  2 ** 53,
  1.5,
  true,
  null,
  [],
  {},
  [[]],
];

/** Services without authentications: the first one has a description; the compiler generates those of the others. */
describe.each(['shop', 'news-a', 'queries'])('%s', (name) => {
  const [fixture] = serviceFixtures().filter((one) => one.name === name && one.database === 'postgresql');
  if (fixture === undefined) throw new Error(`There is no fixture ${name}.`);
  let run: FixtureRun;
  let document: Json;

  beforeAll(async () => {
    const [{ files = [] } = {}] = (await compiledFixtures(() => [fixture])).fixtures;
    const folders = translateServices(`described-${name}`, [{ name, files: withOwnFiles(files, fixture) }]);
    run = await runFixture(`described-${name}`, fixture, files, folders.get(name) ?? '', 'UTC');
    const text = fixture.description?.source.text ?? (await generated(fixture));
    document = parse(text) as Json;
  });

  async function generated({ config, ...others }: ServiceFixture): Promise<string> {
    const { text } = await describeService(
      { path: 'config.yaml', text: config },
      'json',
      databasesOf(others),
    );
    return text ?? '';
  }

  afterAll(async () => {
    expect(await run.service.stop()).toBe(0);
    await run.thirdParty.stop();
    await run.credentials.stop();
  });

  test('every response is described', async () => {
    const random = new Random(1);
    const ajv = new Ajv({ strict: false, logger: false, validateFormats: false });
    ajv.addSchema(document, 'api');
    const operations = operationsOf(document);
    const statuses = new Set<number>();
    for (let count = 0; count < runs(75, 10_000); count += 1) {
      const operation = random.pick(operations);
      const { target, init } = requestOf(operation, random, document);
      const response = await fetch(`${run.service.url}${target}`, init);
      const text = await response.text();
      const about = `${operation.method} ${target} ${init.body ?? ''}\n${response.status} ${text}`;
      expect(response.status, about).toBeLessThan(500);
      statuses.add(response.status);
      const described = resolved(
        operation.responses[response.status] ?? operation.responses['default'],
        document,
      );
      expect(described, `undescribed status: ${about}`).toBeDefined();
      const content = Object.entries((described?.['content'] ?? {}) as Readonly<Record<string, Json>>);
      const type = response.headers.get('content-type')?.split(';')[0];
      if (content.length === 0) expect(text, about).toBe('');
      else {
        const [, found] = content.find(([one]) => one.split(';')[0] === type) ?? [];
        expect(found, `undescribed content ${type ?? ''}: ${about}`).toBeDefined();
        if (type !== 'application/json' || found?.['schema'] === undefined) continue;
        const validate = ajv.compile({ $ref: `api#${pointerOf(found['schema'], document)}` });
        expect(validate(JSON.parse(text)), `${JSON.stringify(validate.errors)}: ${about}`).toBe(true);
      }
    }
    expect(statuses.has(200) && statuses.has(400)).toBe(true);
  });
});

function operationsOf(document: Json): Operation[] {
  return Object.entries(document['paths'] as Readonly<Record<string, Json>>).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
      .map(([method, value]) => {
        const operation = value as Json;
        const parameters = [item['parameters'], operation['parameters']].flatMap(
          (all) => (all ?? []) as Json[],
        );
        const body = resolved(operation['requestBody'], document);
        const [content] = Object.entries((body?.['content'] ?? {}) as Readonly<Record<string, Json>>);
        return {
          path,
          method: method.toUpperCase(),
          parameters: parameters.map((one) => resolved(one, document) ?? {}),
          body: content && { type: content[0], schema: (content[1]['schema'] ?? {}) as Json },
          responses: operation['responses'] as Json,
        };
      }),
  );
}

function requestOf(
  { path, method, parameters, body }: Operation,
  random: Random,
  document: Json,
): { readonly target: string; readonly init: Sent } {
  let target = path;
  const query = new URLSearchParams();
  for (const { in: place, name, schema, required } of parameters) {
    const value = valueOf(schema as Json, random, document);
    const text = (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll(/\p{Cs}/gu, '?');
    if (place === 'path') target = target.replace(`{${String(name)}}`, () => encodeURIComponent(text) || 'x');
    else if (place === 'query' && (required === true || random.chance(60))) query.append(String(name), text);
  }
  const content = body && JSON.stringify(valueOf(body.schema, random, document));
  const sent = content === undefined ? undefined : random.chance(5) ? content.slice(1) : content;
  const init: Sent = {
    method,
    ...(sent !== undefined && {
      body: sent,
      headers: { 'content-type': random.chance(3) ? 'text/plain' : (body?.type ?? '') },
    }),
  };
  return { target: `${target}${query.size === 0 ? '' : `?${query.toString()}`}`, init };
}

/** Usually a value that matches the schema, sometimes any value. */
function valueOf(written: Json, random: Random, document: Json): unknown {
  const schema = resolved(written, document) ?? {};
  if (random.chance(12)) return random.pick(values);
  if (Array.isArray(schema['enum'])) return random.pick(schema['enum'] as unknown[]);
  const type = [schema['type']].flat()[0];
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Json>>)
          .filter(() => random.chance(92))
          .map(([name, property]) => [name, valueOf(property, random, document)]),
      );
    case 'array':
      return random.some(random.below(4), () => valueOf((schema['items'] ?? {}) as Json, random, document));
    case 'integer':
      return random.below(6);
    case 'number':
      return random.below(100) / 4;
    case 'boolean':
      return random.chance(50);
    default:
      return random.chance(50) ? `a${random.below(9)}` : random.pick([...hostileTexts, ...moreTexts]);
  }
}

/** Resolves references; undefined if the target does not exist. */
function resolved(value: unknown, document: Json): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const reference = (value as Json)['$ref'];
  if (typeof reference !== 'string') return value as Json;
  let found: unknown = document;
  for (const token of reference.slice(2).split('/'))
    found = (found as Json)[decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~')];
  return resolved(found, document);
}

/** The JSON pointer of an object in the document. */
function pointerOf(wanted: unknown, document: unknown): string | undefined {
  if (wanted === document) return '';
  if (typeof document !== 'object' || document === null) return undefined;
  for (const [key, value] of Object.entries(document)) {
    const below = pointerOf(wanted, value);
    if (below !== undefined)
      return `/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}${below}`;
  }
  return undefined;
}
