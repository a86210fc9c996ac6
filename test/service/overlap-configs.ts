/** Random operations with overlapping reads: reads, changes, exceptions and loops in any order. */
import fc from 'fast-check';
import type { DatabaseKind } from '../helpers/service-fixture.js';

/** A value for a statement: from the request, the loop's element, or an earlier fulfillment. */
type ValueOf = (before: readonly string[], loop: string | undefined) => string;

const values: readonly ValueOf[] = [
  () => 'PARAM(id)',
  () => 'BODY($.n)',
  () => 'TEXT(4)',
  (before) => (before.length === 0 ? 'PARAM(id)' : `VALUE(${String(before.at(-1))}, $[0].id)`),
  (before) => (before.length === 0 ? 'INTEGER(2)' : `VALUE(${String(before[0])}, $[0].n)`),
  (_before, loop) => (loop === undefined ? 'PARAM(id)' : 'VALUE(@, $.id)'),
  (_before, loop) => (loop === undefined ? 'PARAM(id)' : `VALUE(${loop}, $.n)`),
];

/** SQL and settings that differ between the databases. */
interface Dialect {
  readonly datasource: string;
  /** SELECT statements: one returns no rows for some values, one fails for some values, and one sees changed data. */
  readonly reads: readonly ((value: string) => string)[];
  readonly text: (value: string) => string;
}

const dialects: Readonly<Record<DatabaseKind, Dialect>> = {
  postgresql: {
    datasource: '{ type: db, driver: pg, url: "jdbc:postgresql://localhost/main", user: nobody }',
    reads: [
      (value) => `select id, n from item where id::text = :[${value}]::text`,
      (value) => `select id, n from item where n <= :[${value}]::int order by id limit 3`,
      (value) => `select 1 as id, 60 / :[${value}]::int as n`,
      (value) =>
        `select count(*)::int as id, 2 as n from note where run = :[PARAM(run)] and :[${value}]::text is not null`,
    ],
    text: (value) => `:[${value}]::text`,
  },
  mariadb: {
    datasource: '{ type: db, url: "jdbc:mariadb://localhost/main", user: nobody }',
    reads: [
      (value) => `select id, n from item where cast(id as char) = :[${value}]`,
      (value) => `select id, n from item where n <= cast(:[${value}] as signed) order by id limit 3`,
      // Out of range for values above 2 and for non-numeric strings.
      (value) =>
        `select 1 as id, 9223372036854775805 + cast(if(:[${value}] = 'x', 9, :[${value}]) as signed) as n`,
      (value) =>
        `select count(*) as id, 2 as n from note where run = :[PARAM(run)] and cast(:[${value}] as char) is not null`,
    ],
    text: (value) => `:[${value}]`,
  },
};

const conditions = (name: string): readonly string[] => [
  `SIZE(VALUE(${name}, $)) == INTEGER(0)`,
  `VALUE(${name}, $[0].n) > INTEGER(5)`,
  `VALUE(${name}, $[0].id) == BODY($.stop)`,
];

const draw = fc.record({
  kind: fc.constantFrom('read', 'read', 'read', 'read', 'update', 'loop', 'empty'),
  value: fc.nat({ max: values.length - 1 }),
  read: fc.nat({ max: 3 }),
  exception: fc.option(fc.nat({ max: 2 }), { freq: 2 }),
  inner: fc.array(
    fc.record({
      kind: fc.constantFrom('read', 'read', 'read', 'update'),
      value: fc.nat({ max: values.length - 1 }),
      read: fc.nat({ max: 3 }),
      exception: fc.option(fc.nat({ max: 2 }), { freq: 3 }),
      isIndexed: fc.boolean(),
      hasCondition: fc.constantFrom(false, false, false, true),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  hasBreak: fc.constantFrom(false, false, true),
});

type Draw = typeof draw extends fc.Arbitrary<infer Value> ? Value : never;

/** A configuration with the operations `POST /op/{number}/{id}`, for `count` random operations. */
export function overlappingConfig(count: number, seed: number, database: DatabaseKind): string {
  const dialect = dialects[database];
  const operations = fc.sample(fc.array(draw, { minLength: 2, maxLength: 6 }), { numRuns: count, seed });
  return `specification: "1.0"
datasources:
  main: ${dialect.datasource}
operations:
${operations.map((draws, index) => operation(index, draws, dialect)).join('')}`;
}

function operation(number: number, draws: readonly Draw[], dialect: Dialect): string {
  const before: string[] = [];
  const indexed: string[] = [];
  const steps = draws.map((drawn, index) => {
    const name = `f${index}`;
    if (drawn.kind === 'loop') return loop(name, drawn, before, indexed, dialect);
    const text = step(name, drawn, before, undefined, 6, dialect);
    before.push(name);
    return text;
  });
  const fields = before.map((name) => `          ${name}: VALUE(${name}, $)\n`);
  const stored = indexed.map((name) => `          ${name}: VALUE_BY_INDEX(${name}, INTEGER(2), $)\n`);
  return `  'POST /op/${number}/{id}':
    fulfillments:
${steps.join('')}    responses:
      - name: ok
        default: true
        statuscode: 200
        schema:
          id: PARAM(id)
${fields.join('')}${stored.join('')}`;
}

interface StepDraw {
  readonly kind: Draw['kind'];
  readonly value: number;
  readonly read: number;
  readonly exception: number | null;
}

function step(
  name: string,
  drawn: StepDraw,
  before: readonly string[],
  around: string | undefined,
  indent: number,
  { reads, text }: Dialect,
): string {
  const pad = ' '.repeat(indent);
  const value = values[drawn.value]?.(before, around) ?? 'PARAM(id)';
  const isUpdate = drawn.kind === 'update';
  const query = isUpdate
    ? `insert into note (run, what) values (:[PARAM(run)], concat('${name} ', ${text(value)}))`
    : (reads[drawn.read]?.(value) ?? '');
  const condition = drawn.exception === null ? undefined : conditions(name)[drawn.exception];
  return [
    `${pad}- name: ${name}`,
    `${pad}  type: ${isUpdate ? 'UPDATE' : 'READ'}`,
    `${pad}  datasource: main`,
    `${pad}  instructions:`,
    `${pad}    - query: "${query}"`,
    ...(condition === undefined
      ? []
      : [
          `${pad}  exceptions:`,
          `${pad}    - { if: "${condition}", statuscode: 409, message: "${name} of :[PARAM(id)]" }`,
        ]),
    '',
  ].join('\n');
}

function conditionOf(known: readonly string[], loop: string): string {
  const last = known.at(-1);
  return last === undefined ? `VALUE(${loop}, $.n) != INTEGER(2)` : `VALUE(${last}, $[0].n) > INTEGER(2)`;
}

function loop(name: string, drawn: Draw, before: string[], indexed: string[], dialect: Dialect): string {
  const over = before.at(-1);
  // Reads may need rows of earlier reads.
  const known = [...before];
  const inner = drawn.inner.map((one, index) => {
    const child = `${name}i${index}`;
    const text = step(child, one, known, name, 10, dialect);
    const condition = one.hasCondition ? `            if: "${conditionOf(known, name)}"\n` : '';
    if (one.kind === 'read' && !one.hasCondition) known.push(child);
    if (!one.isIndexed) return text + condition;
    indexed.push(child);
    return `${text}${condition}            index: VALUE(@, $.id)\n`;
  });
  const stop = drawn.hasBreak ? `        loopbreak: ["VALUE(${name}, $.id) == BODY($.stop)"]\n` : '';
  return `      - name: ${name}
        type: LOOP
        loop: "${over === undefined ? 'BODY($.list)' : `VALUE(${over}, $)`}"
${stop}        fulfillments:
${inner.join('')}`;
}
