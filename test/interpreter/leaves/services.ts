/** Operations whose responses contain values and expressions over the same values: the values are the oracle for the expressions. */
import { Random } from '../../helpers/random.js';
import type { Expr } from '../language.js';
import { expressionOf, formsOf, leaf, result, type Leaf } from './expressions.js';

export type Database = 'postgresql' | 'mariadb';

/** The position of values and expressions in an operation. */
export type Position =
  | 'response'
  | 'item'
  | 'loop'
  | 'exception'
  | 'code'
  | 'computed'
  | 'request'
  | 'mapping'
  /** Each expression is a condition or a string of a separate fulfillment. */
  | 'conditions'
  | 'texts';

/** An operation: what it reads, and what is computed from that. */
export interface LeafOperation {
  readonly number: number;
  readonly syntax: 'A' | 'B';
  readonly database: Database;
  readonly position: Position;
  readonly isTyped: boolean;
  readonly leaves: readonly Leaf[];
  readonly expressions: readonly Expr[];
}

export function pathOf({ number }: LeafOperation): string {
  return `/o${number}`;
}

const columns = ['whole', 'big', 'price', 'name', 'note', 'digits', 'truth', 'flag', 'yes', 'day'] as const;

const requestLeavesA: readonly Leaf[] = [
  ...['n', 'maybe', 't', 'kind', 'flag', 'off', 'list', 'tags', 'tags[0]', 'tags[-1]', 'rows', 'rows[0].id'],
  ...[
    'rows[-1].name',
    'rows[*].name',
    'rows[1]',
    'who',
    'who.name',
    'who.home',
    'who.home.town',
    'map',
    'map.a',
  ],
].map((path) => leaf(`BODY($.${path})`));

const leavesA: readonly Leaf[] = [
  ...requestLeavesA,
  ...['BODY()', 'QUERY(y)', 'QUERY(t)', 'QUERY(many)', 'QUERY(none)', 'HEADER(x-note)', 'COOKIE(c)'].map(
    (text) => leaf(text),
  ),
  ...['PARAM(x)', 'PARAM(y)', 'PARAM(none)', 'CALLER()', 'CALLER($.role)', 'CALLER($.nothing)'].map((text) =>
    leaf(text),
  ),
  ...['CALLER($.authentication)', 'ENV(LEAF)', 'NOW()', 'IF_MATCH(QUERY(t))', 'BOOLEAN(true)'].map((text) =>
    leaf(text),
  ),
  ...columns.map((column) => leaf(`VALUE(one, $.${column})`, 'one')),
  ...columns.map((column) => leaf(`VALUE(maybe, $.${column})`, 'maybe')),
  leaf('VALUE(one, $[0].note)', 'one'),
  leaf('VALUE(one, $[0])', 'one'),
  leaf('VALUE(maybe, $[0])', 'maybe'),
  ...[
    '$',
    '$[0]',
    '$[-1]',
    '$.note',
    '$[0].digits',
    '$[2].note',
    '$[-1].whole',
    '$[*].note',
    '$[9]',
    '$[9].name',
  ].map((path) => leaf(`VALUE(all, ${path})`, 'all')),
  leaf('SIZE(VALUE(all, $))', 'all'),
  ...['$', '$[0]', '$.note', '$[*].name'].map((path) => leaf(`VALUE(none, ${path})`, 'none')),
  ...['$', '$[0]', '$.note', '$[0].flag', '$[*].whole', '$[-1].name'].map((path) =>
    leaf(`VALUE(skipped, ${path})`, 'skipped'),
  ),
  leaf('SIZE(VALUE(skipped, $))', 'skipped'),
  ...['$.n', '$.maybe', '$.list', '$.list[0]', '$.deep', '$.deep.town', '$'].map((path) =>
    leaf(`VALUE(facts, ${path})`, 'facts'),
  ),
  ...['$.n', '$.note', '$.row', '$.row.flag', '$.none', '$.texts', '$.texts[0].t'].flatMap((path) => [
    leaf(`VALUE(made, ${path})`, 'one', 'made'),
    leaf(`VALUE(perhaps, ${path})`, 'one', 'perhaps'),
  ]),
  leaf('VALUE(perhaps, $)', 'one', 'perhaps'),
  ...['$', '$.name', '$.n', '$.nothing', '$.list[0]'].map((path) => leaf(`VALUE(api, ${path})`, 'api')),
  ...['STATUS(api)', 'RESPONSE_HEADER(api, x-kind)', 'RESPONSE_HEADER(api, x-none)'].map((text) =>
    leaf(text, 'api'),
  ),
  ...['STATUS(failed)', 'FAILURE(failed)', 'VALUE(failed, $.message)', 'VALUE(failed, $)'].map((text) =>
    leaf(text, 'failed'),
  ),
  ...['$', '$.name', '$.note', '$.n', '$.row', '$.row.note'].map((path) =>
    leaf(`VALUE(called, ${path})`, 'called'),
  ),
  ...['NEXT(page)', 'VALUE(page, $.name)', 'VALUE(page, $)'].map((text) => leaf(text, 'page')),
  ...['INTEGER(1)', 'QUERY(id)', 'INTEGER(9)', 'TEXT(2)'].flatMap((index) => [
    leaf(`VALUE_BY_INDEX(item, ${index}, $)`, 'each'),
    leaf(`VALUE_BY_INDEX(item, ${index}, $.note)`, 'each'),
    leaf(`VALUE_BY_INDEX(item, ${index}, $[0].name)`, 'each'),
  ]),
];

const changedA: Readonly<Record<Database, readonly Leaf[]>> = {
  postgresql: ['$', '$[0]', '$.note', '$.whole'].map((path) => leaf(`VALUE(changed, ${path})`, 'changed')),
  mariadb: ['$', '$.affected_rows', '$.insert_id'].map((path) => leaf(`VALUE(changed, ${path})`, 'changed')),
};

const elementLeavesA: readonly Leaf[] = [
  ...['$', ...columns.map((column) => `$.${column}`)].map((path) => leaf(`VALUE(@, ${path})`, 'all')),
  leaf('VALUE_BY_INDEX(item, VALUE(@, $.id), $.note)', 'all', 'each'),
  leaf('VALUE_BY_INDEX(item, VALUE(@, $.id), $)', 'all', 'each'),
];

const leavesB: readonly Leaf[] = [
  ...[
    'n',
    'maybe',
    't',
    'kind',
    'flag',
    'off',
    'list',
    'tags',
    'tags[0]',
    'rows',
    'rows[0].id',
    'rows[-1].name',
  ],
  ...['who', 'who.name', 'who.home', 'who.home.town', 'map', 'map.a'],
]
  .map((path) => leaf(`body.${path}`))
  .concat(
    [
      'body',
      'query.y',
      'query.t',
      'query.many',
      'query.none',
      'header.x-note',
      'cookie.c',
      'param.x',
      'param.y',
    ].map((text) => leaf(text)),
    ['caller', 'caller.role', 'caller.nothing', "env('LEAF')", 'now()', 'if_match(query.t)'].map((text) =>
      leaf(text),
    ),
    columns.map((column) => leaf(`one.${column}`, 'one')),
    columns.map((column) => leaf(`maybe.${column}`, 'maybe')),
    [leaf('one[0]', 'one'), leaf('maybe[0]', 'maybe'), leaf('maybe[0].note', 'maybe')],
    ['all', 'none', 'skipped'].map(result),
    ['all[*].note', 'all[2].note', 'all[-1].whole', 'all[9]', 'all.note'].map((text) => leaf(text, 'all')),
    ['none.note', 'none[0]'].map((text) => leaf(text, 'none')),
    ['skipped.note', 'skipped[0]', 'skipped[*].name'].map((text) => leaf(text, 'skipped')),
    ['facts.n', 'facts.maybe', 'facts.list', 'facts.list[0]', 'facts.deep', 'facts.deep.town'].map((text) =>
      leaf(text, 'facts'),
    ),
    ['n', 'note', 'row', 'row.flag', 'none'].flatMap((path) => [
      leaf(`made.${path}`, 'one', 'made'),
      leaf(`perhaps.${path}`, 'one', 'perhaps'),
    ]),
    ['page.next()', 'page.name'].map((text) => leaf(text, 'page')),
  );

/** Operations of a group; the same seed yields the same operations. */
export function leafOperations(
  isTyped: boolean,
  isDescribed: boolean,
  count: number,
  seed: number,
): LeafOperation[] {
  const random = new Random(seed);
  const made: LeafOperation[] = [];
  const shapes = { A: shapesOf('A', random), B: shapesOf('B', random) };
  for (let number = 0; number < count; number += 1) {
    const syntax = number % 3 === 2 ? 'B' : 'A';
    const database = number % 2 === 0 ? 'postgresql' : 'mariadb';
    const position = positionOf(syntax, isDescribed, random);
    const isOneByOne = position === 'conditions' || position === 'texts';
    const pool = [
      ...(syntax === 'B' ? leavesB : [...leavesA, ...changedA[database]]),
      ...(position === 'item' || position === 'loop' ? [...elementLeavesA, ...elementLeavesA] : []),
    ];
    const leaves = [...new Set(random.some(14, () => random.pick(pool)))];
    const expressions: Expr[] = [];
    const wanted = isOneByOne ? 12 : 60;
    while (expressions.length < wanted) {
      const made = expressionOf(shapes[syntax](), syntax, leaves, random);
      if (made !== undefined) expressions.push(made);
    }
    const needed = syntax === 'A' ? [...leaves, ...storedLeaves] : leaves;
    made.push({ number, syntax, database, position, isTyped, leaves: needed, expressions });
  }
  return made;
}

/** Stored values that VALUE_BY_INDEX can find. */
export const storedLeaves: readonly Leaf[] = ['0', '1', '2', '3'].map((index) =>
  leaf(`VALUE_BY_INDEX(item, INTEGER(${index}), $)`, 'each'),
);

/** All nestings of depth three in random order, mixed with random ones of depth two and four. */
function shapesOf(syntax: 'A' | 'B', random: Random): () => number[] {
  const forms = formsOf(syntax);
  const order = Array.from({ length: forms ** 3 }, (_, at) => at);
  for (let at = order.length - 1; at > 0; at -= 1) {
    const other = random.below(at + 1);
    [order[at], order[other]] = [order[other] ?? 0, order[at] ?? 0];
  }
  let next = 0;
  return () => {
    const kind = random.below(10);
    if (kind < 4) return random.some(2, () => random.below(forms));
    if (kind < 5) return random.some(4, () => random.below(forms));
    const at = order[next % order.length] ?? 0;
    next += 1;
    return [at % forms, Math.floor(at / forms) % forms, Math.floor(at / forms ** 2)];
  };
}

function positionOf(syntax: 'A' | 'B', isDescribed: boolean, random: Random): Position {
  if (syntax === 'B')
    return random.pick(
      isDescribed
        ? ['response', 'code', 'computed', 'mapping']
        : ['response', 'response', 'code', 'computed'],
    );
  return random.pick([
    ...([
      'response',
      'response',
      'item',
      'item',
      'loop',
      'exception',
      'code',
      'computed',
      'request',
    ] as const),
    ...(['conditions', 'conditions', 'texts', 'texts'] as const),
  ]);
}
