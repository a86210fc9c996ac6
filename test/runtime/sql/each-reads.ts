/** Compares batched reads of a loop with the same reads one by one. */
import { expect } from 'vitest';
import { wholeText } from '../../../compiler/read/source.js';
import { kindOfExpression } from '../../../compiler/read/sql/facts/value-kind.js';
import { textForEach } from '../../../compiler/read/sql/rewrite/for-each.js';
import { lowerSql } from '../../../compiler/read/sql/rewrite/lower.js';
import { renderSql } from '../../../compiler/read/sql/rewrite/render.js';
import type { Json, Row } from '../../../runtime/handler/json.js';
import type { EachRead, StatementDefinition } from '../../../runtime/sql/statement-definition.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import type { EachDefinition } from '../../../runtime/sql/each.js';
import { readEach } from '../../../runtime/sql/reads-ahead.js';
import type { Statement } from '../../../runtime/sql/statement.js';
import { testCall } from '../../helpers/test-call.js';
import { read } from '../../sql/reading.js';

/** The values of one element. */
export type Element = readonly Json[];

/** A statement, and the number of elements that it has read in batches. */
export interface CountedReads {
  readonly statement: Statement;
  readonly elements: () => number;
}

/** The SQL that a handler contains for a READ of the configuration; `each` is undefined if the READ cannot be batched. */
export function textsOf(
  dialect: 'mysql' | 'postgresql',
  query: string,
): { readonly sql: string; readonly each: string | undefined } {
  const { statement } = read(`${dialect} READ`, wholeText('query', query));
  const lowered = statement && lowerSql(statement, { kindOf: kindOfExpression, isResultRead: true });
  const sql = lowered && renderSql(lowered);
  if (statement === undefined || lowered === undefined || sql === undefined) throw new Error(query);
  return { sql, each: textForEach(statement, lowered) };
}

type MakeEach = (datasource: Pick<DatabaseDatasource, 'read'>, definition: EachDefinition) => Statement;

/** A batched statement as in a service. It always counts as quick. */
export function readsAtOnce(
  make: MakeEach,
  datasource: DatabaseDatasource,
  texts: ReturnType<typeof textsOf>,
  more: Partial<StatementDefinition> = {},
): CountedReads {
  const { sql, each } = texts;
  if (each === undefined) throw new Error(`not at once: ${sql}`);
  const names = { operation: 'GET /x', fulfillment: 'x' };
  const { runner, each: own } = make(alwaysQuick(datasource), { ...names, ...more, sql, each });
  if (own === undefined) throw new Error('none');
  let count = 0;
  const counted: EachRead = {
    start: (...args) =>
      own.start(...args)?.then((rows) => {
        count += rows?.length ?? 0;
        return rows;
      }),
  };
  const statement = Object.assign(() => Promise.reject(new Error('nobody calls it')), {
    runner,
    each: counted,
  });
  return { statement, elements: () => count };
}

/** Otherwise statements would be slow on a busy machine, and would not be batched. */
function alwaysQuick(datasource: DatabaseDatasource): Pick<DatabaseDatasource, 'read'> {
  return {
    read<Entry extends Row>(definition: StatementDefinition) {
      const statement = datasource.read<Entry>(definition);
      const { latency } = statement.runner;
      while (latency.isUnknown) latency.took(0.05);
      latency.took = () => undefined;
      return statement;
    },
  };
}

/** The elements with their rows, and the error after the last one. */
export async function loop(
  statement: Statement,
  elements: readonly Element[],
  call = testCall(60_000),
): Promise<readonly [found: (readonly [Element, Row[]])[], error: unknown]> {
  const found: (readonly [Element, Row[]])[] = [];
  try {
    for await (const one of readEach(statement, call, elements, (element) => element)) found.push(one);
  } catch (error) {
    return [found, error];
  }
  return [found, undefined];
}

function oneByOne({ runner }: Statement): Statement {
  return Object.assign(() => Promise.reject(new Error('nobody calls it')), { runner });
}

/** Expects the same bytes and the same error as from a loop without batching; returns the error. */
export async function expectAlike(statement: Statement, elements: readonly Element[]): Promise<unknown> {
  const [rows, error] = await loop(statement, elements);
  const [expected, expectedError] = await loop(oneByOne(statement), elements);
  expect(JSON.stringify(rows)).toBe(JSON.stringify(expected));
  expect(String(error)).toBe(String(expectedError));
  return error;
}
