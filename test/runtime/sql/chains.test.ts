/** Dependent reads in a loop: the same rows, errors and order as one by one, in fewer round trips. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Json, Row } from '../../../runtime/handler/json.js';
import { startChain } from '../../../runtime/sql/chains.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import { eachInUnion, eachOf } from '../../../runtime/sql/each.js';
import type { Statement } from '../../../runtime/sql/statement.js';
import { DatasourceTransaction } from '../../../runtime/transactions/datasource-transaction.js';
import { SharedTransaction } from '../../../runtime/transactions/transaction.js';
import { Random } from '../../helpers/random.js';
import { runs } from '../../helpers/runs.js';
import { testCall } from '../../helpers/test-call.js';
import { readsAtOnce, textsOf } from './each-reads.js';
import { openMariadb, openPostgres } from './open-datasource.js';

const kinds = [
  { kind: 'postgresql', dialect: 'postgresql', open: openPostgres, make: eachOf, most: 128 },
  { kind: 'mariadb', dialect: 'mysql', open: openMariadb, make: eachInUnion, most: 16 },
] as const;

const text = ':[PARAM(a)]';

/** An order, its customer, and customers in the same town; the last query fails for town 9. */
const queries = [
  `SELECT id, customer_id FROM orders WHERE id = ${text}`,
  `SELECT id, town FROM customer WHERE id = ${text}`,
  `SELECT id, one FROM neighbour WHERE town = ${text} ORDER BY id LIMIT 2`,
];

/** An expression that fails for town 9. */
const failing = { postgresql: '1 / (9 - town)', mysql: '9223372036854775804 + town' };

/** Which reads are skipped for an element, and whether an exception ends the loop after the first read. */
interface Choices {
  readonly skips: (element: Json, customers: readonly Row[]) => boolean;
  readonly ends: (element: Json, orders: readonly Row[]) => boolean;
  /** The third read uses the element instead of the customer's town. */
  readonly isApart: boolean;
}

type Reads = readonly [Statement, Statement, Statement];

function valuesFor({ skips, isApart }: Choices) {
  return [
    (element: Json) => [element],
    (element: Json, orders: readonly Row[]) =>
      skips(element, orders) ? undefined : [orders[0]?.['customer_id']],
    (element: Json, _orders: readonly Row[], customers: readonly Row[]) => [
      isApart ? element : customers[0]?.['town'],
    ],
  ] as const;
}

/** Executes the reads like a handler with startChain. */
async function ahead(
  [first, second, third]: Reads,
  elements: readonly Json[],
  choices: Choices,
  call = testCall(60_000),
) {
  const [ofFirst, ofSecond, ofThird] = valuesFor(choices);
  const seen: unknown[] = [];
  try {
    const chain = startChain(call, elements, [first, ofFirst], [second, ofSecond], [third, ofThird]);
    for (const [element, ordersRead, customersRead, countRead] of chain) {
      const orders = await ordersRead;
      seen.push([element, orders]);
      if (choices.ends(element, orders)) throw new Error('an exception');
      if (!choices.skips(element, orders)) seen.push(await customersRead);
      seen.push(await countRead);
    }
  } catch (error) {
    seen.push(String(error));
  }
  return seen;
}

/** Executes the same reads one by one. */
async function inTurn([first, second, third]: Reads, elements: readonly Json[], choices: Choices) {
  const [ofFirst, ofSecond, ofThird] = valuesFor(choices);
  const call = testCall(60_000);
  const seen: unknown[] = [];
  try {
    for (const element of elements) {
      const orders = await first.runner.run(call, ofFirst(element));
      seen.push([element, orders]);
      if (choices.ends(element, orders)) throw new Error('an exception');
      const values = ofSecond(element, orders);
      const customers = values === undefined ? [] : await second.runner.run(call, values);
      if (values !== undefined) seen.push(customers);
      seen.push(await third.runner.run(call, ofThird(element, orders, customers)));
    }
  } catch (error) {
    seen.push(String(error));
  }
  return seen;
}

describe.each(kinds)('$kind', ({ dialect, open, make, most }) => {
  let datasource: DatabaseDatasource;
  let count = 0;
  const atOnce: Statement[] = [];
  const oneByOne: Statement[] = [];

  beforeAll(async () => {
    const { server, database, ...opened } = await open('chains');
    ({ datasource } = opened);
    const numbers = Array.from({ length: 300 }, (_, index) => index + 1);
    await server.exec(
      database,
      `create table customer (id int primary key, town int);
       insert into customer values ${numbers.map((id) => `(${id}, ${id === 250 ? 9 : id % 3})`).join()};
       create view neighbour as select id, town, ${failing[dialect]} as one from customer;
       create table orders (id int primary key, customer_id int);
       insert into orders values ${numbers.map((id) => `(${id}, ${id % 7 === 0 ? 'null' : id})`).join()};`,
    );
    for (const statement of statementsAtOnce()) {
      atOnce.push(statement);
      oneByOne.push(
        Object.assign(() => Promise.reject(new Error('nobody calls it')), { runner: statement.runner }),
      );
    }
    datasource.observe({ statementRan: () => (count += 1) } as never);
  });

  afterAll(async () => {
    await datasource.close(performance.now());
  });

  function statementsAtOnce(texts: readonly string[] = queries): Statement[] {
    return texts.map((query) => readsAtOnce(make, datasource, textsOf(dialect, query)).statement);
  }

  function drawn(random: Random): readonly [Reads, Json[], Choices] {
    const reads = [0, 1, 2].map((index) => random.pick([atOnce, oneByOne])[index]) as unknown as Reads;
    const mayFail = random.chance(40);
    const elements = random.some(random.below(300), (): Json => {
      if (random.chance(4)) return null;
      return mayFail || !random.chance(99) ? random.below(310) : random.below(240);
    });
    const modulus = random.pick([1, 2, 3, 50, 1_000]);
    const last = random.chance(30) ? random.below(310) : -1;
    return [
      reads,
      random.chance(10) && dialect === 'postgresql' ? [...elements, 'no number', 1] : elements,
      {
        skips: (element, orders) => Number(element) % modulus === 1 || (modulus < 4 && orders.length === 0),
        ends: (element) => element === last,
        isApart: random.chance(30),
      },
    ];
  }

  test('loops at random', async () => {
    const random = new Random(59);
    let failures = 0;
    for (let round = 0; round < runs(10, 400); round += 1) {
      const [reads, elements, choices] = drawn(random);
      const expected = await inTurn(reads, elements, choices);
      expect(await ahead(reads, elements, choices), `round ${round}`).toEqual(expected);
      const last = expected.at(-1);
      if (typeof last === 'string') failures += 1;
    }
    expect(failures).toBeGreaterThan(0);
  });

  test('the round trips are those of portions', async () => {
    const elements = Array.from({ length: 240 }, (_, index) => index + 1);
    const choices = { skips: () => false, ends: () => false, isApart: false };
    // New statements, which were not paused after failures; the number of elements per statement is determined first.
    const towns = `SELECT id, town FROM customer WHERE town = ${text} ORDER BY id LIMIT 2`;
    const reads = statementsAtOnce([...queries.slice(0, 2), towns]) as unknown as Reads;
    for (let round = 0; round < 4; round += 1) await ahead(reads, elements, choices);
    const before = count;
    await ahead(reads, elements, choices);
    expect(count - before).toBe(3 * Math.ceil(240 / most));
  });

  test('elements that skip a read are not sent', async () => {
    const elements = Array.from({ length: 240 }, (_, index) => index + 1);
    const [first, second, third] = oneByOne as unknown as Reads;
    const { runner } = second;
    const sent = vi.spyOn(runner, 'queryOf');
    const skips = (element: Json) => Number(element) > 5;
    await ahead([first, second, third], elements, { skips, ends: () => false, isApart: false });
    const values = sent.mock.calls.map(([, [value]]) => value);
    sent.mockRestore();
    // On a busy machine, some are sent twice.
    expect(new Set(values)).toEqual(new Set([1, 2, 3, 4, 5]));
  });

  test('in a transaction each is read in its turn', async () => {
    const transaction = new SharedTransaction();
    const call = { ...testCall(60_000), transaction };
    const before = count;
    const ends = (element: Json) => element === 3;
    const choices = { skips: () => false, ends, isApart: false };
    const seen = await ahead(atOnce as unknown as Reads, [1, 2, 3, 4, 5, 6], choices, call);
    for (const part of transaction.parts.values()) {
      expect(part).toBeInstanceOf(DatasourceTransaction);
      await part.rollback();
    }
    expect(seen.at(-1)).toBe('Error: an exception');
    expect(count - before).toBe(3 + 3 + 1);
  });
});
