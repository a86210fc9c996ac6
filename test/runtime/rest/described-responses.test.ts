/** Responses that contradict their third party's description: reported once, without values, in limited time; no call fails. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StubServer } from '../../../compiler/tools/local/stub-server.js';
import type { Json } from '../../../runtime/handler/json.js';
import { describedResponses } from '../../../runtime/rest/described-responses.js';
import { rest } from '../../../runtime/rest/rest.js';
import {
  anyOf,
  array,
  enumOf,
  integer,
  nullable,
  object,
  required,
  string,
} from '../../../runtime/validate/index.js';
import { Schema } from '../../../runtime/validate/schema.js';
import { testCall } from '../../helpers/test-call.js';

/** The warnings for several responses in succession. */
function warnings(schemas: Readonly<Record<string, Schema>>, ...bodies: readonly Json[]): string[] {
  const found: string[] = [];
  const compare = describedResponses(schemas);
  for (const body of bodies) compare({ status: 200, headers: {}, body }, (warning) => found.push(warning));
  return found;
}

const item = object({ id: required(string()), state: enumOf('open', 'paid'), next: nullable(string()) });

describe('a contradiction', () => {
  test('is one line for each place, however many elements have it', () => {
    const list = Array.from({ length: 50 }, (_, index): Json => ({
      id: index,
      state: 'secret, not open',
      next: null,
    }));
    expect(warnings({ 200: object({ data: array(item) }) }, { data: list }, { data: list })).toEqual([
      '/data/*/id of its response 200 must be a string',
      '/data/*/state of its response 200 must be one of "open", "paid"',
    ]);
  });

  test('has no value in its words', () => {
    const schema = object({
      text: string({ maxLength: 3 }),
      date: string({ format: 'date' }),
      count: integer({ maximum: 3 }),
      either: anyOf(string({ format: 'uuid' }), object({})),
      'a/b~c': integer(),
    });
    const secret = 'hunter2, not hunter3';
    const found = warnings(
      { 200: schema },
      { text: secret, date: secret, count: 77_777, either: secret, 'a/b~c': secret },
    );
    expect(found.map((line) => line.replace(' of its response 200', ''))).toEqual([
      '/text must have at most 3 characters',
      '/date must be a date such as 2026-01-31',
      '/count must be at most 3',
      '/either must be a UUID',
      '/a~1b~0c must be an integer',
    ]);
    expect(found.join()).not.toMatch(/hunter|77/);
  });

  test('is of the body itself where that is of another type', () => {
    expect(warnings({ 200: item }, null, 'text')).toEqual(['the body of its response 200 must be an object']);
  });
});

test('statuses have the schemas of their own, of their class, or of all', () => {
  const found: string[] = [];
  const compare = describedResponses({ 200: string(), '4XX': integer(), default: array(string()) });
  for (const status of [200, 201, 404])
    compare({ status, headers: {}, body: true }, (warning) => found.push(warning));
  expect(found).toEqual([
    'the body of its response 200 must be a string',
    'the body of its response 201 must be an array',
    'the body of its response 404 must be an integer',
  ]);
});

test('memory and time are limited', () => {
  const names = Array.from({ length: 60 }, (_, index) => `p${index}`);
  const schema = object(Object.fromEntries(names.map((name) => [name, string()])));
  const bodies = names.map((name): Json => ({ [name]: 1 }));
  expect(warnings({ 200: schema }, ...bodies)).toHaveLength(20);
  let compared = 0;
  class Counting extends Schema {
    check(): void {
      compared += 1;
    }

    accepts(): boolean {
      return true;
    }
  }
  const long = Array.from({ length: 100_000 }, (): Json => 1);
  warnings({ 200: array(new Counting()) }, long);
  expect(compared).toBeLessThan(6000);
  // Nested alternatives would take exponential time.
  let deep: Schema = string();
  for (let level = 0; level < 40; level += 1)
    deep = anyOf(object({ a: deep, b: deep }), object({ b: deep, a: deep }));
  let value: Json = 1;
  for (let level = 0; level < 40; level += 1) value = { a: value, b: value };
  expect(warnings({ 200: deep }, value).length).toBeLessThan(2);
});

describe('a datasource', () => {
  let api: StubServer;
  const warned: string[] = [];
  const datasource = rest({ name: 'api' });
  beforeAll(async () => {
    api = await StubServer.start(({ path }) => ({
      status: path === '/gone' ? 404 : 200,
      headers: { 'content-type': 'application/json' },
      body: '{"id":7}',
    }));
    datasource.open({ url: api.url, responseLimit: 1000 }, (warning) => warned.push(warning));
  });
  afterAll(async () => {
    datasource.close();
    await api.stop();
  });

  test('warns of them, and the result is what was sent', async () => {
    const send = datasource.requestWithStatus({
      ...{ operation: 'GET /items/{id}', fulfillment: 'item', method: 'GET' },
      described: describedResponses({ 200: item, 404: object({ title: required(string()) }) }),
    });
    for (let count = 0; count < 3; count += 1)
      expect((await send(testCall(), { url: '/item' })).body).toEqual({ id: 7 });
    await send(testCall(), { url: '/gone' });
    expect(warned).toEqual([
      'GET /items/{id}, item: /id of its response 200 must be a string',
      'GET /items/{id}, item: /title of its response 404 is missing',
    ]);
  });
});
