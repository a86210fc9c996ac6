/** Statements from a random grammar: most are valid, and all names show their position. */
import fc from 'fast-check';
import type { Dialect } from '../../compiler/read/sql/dialect.js';

type Text = fc.Arbitrary<string>;

const column = fc.constantFrom('id', 'a.title', '"Head Line"', 'value', 'b.at', 'amount', 'key');
const table = fc.constantFrom('item', 'other', '"Order"', 'News', 'third');
const constant = fc.constantFrom('1', "'x'", 'NULL', 'true', '1.5e3', "'it''s'", 'current_date');
const operator = fc.constantFrom(
  '=',
  '<',
  '>=',
  '<>',
  '+',
  '-',
  '*',
  '/',
  '%',
  'AND',
  'OR',
  'LIKE',
  'IS DISTINCT FROM',
);

/** Statement parts, nested up to a maximum depth. */
export function anyStatement(dialect: Dialect): Text {
  const extra: readonly string[] =
    dialect === 'postgresql' ? ['||', '->', '->>', '@>', '~*', '&&', '<@'] : ['DIV', '<=>'];
  const { statement } = fc.letrec<{ expression: string; from: string; query: string; statement: string }>(
    (tie) => {
      const joined = (parts: readonly Text[], between = ' '): Text =>
        fc.tuple(...parts).map((texts) => texts.join(between));
      const maybe = (text: Text): Text => fc.oneof(fc.constant(''), text);
      const expression = tie('expression');
      const query = tie('query');
      const list = fc.array(expression, { minLength: 1, maxLength: 3 }).map((all) => all.join(', '));
      const named = fc
        .tuple(expression, fc.constantFrom('', ' AS x', ' y', ' AS "Z z"'))
        .map((texts) => texts.join(''));
      const columns = fc
        .array(fc.oneof(column, named), { minLength: 1, maxLength: 4 })
        .map((all) => all.join(', '));
      const source = fc.oneof(
        table,
        fc.tuple(table, fc.constantFrom('a', 'AS b', 'AS "T t"')).map((texts) => texts.join(' ')),
        query.map((text) => `(${text}) AS q`),
        list.map((text) => `f(${text}) AS g`),
      );
      const join = fc.constantFrom('JOIN', 'LEFT JOIN', 'LEFT OUTER JOIN', 'INNER JOIN', 'RIGHT JOIN');
      const where = expression.map((text) => `WHERE ${text}`);
      return {
        expression: fc.oneof(
          { maxDepth: 3, withCrossShrink: true },
          column,
          constant,
          joined([expression, fc.oneof(operator, fc.constantFrom(...extra)), expression]),
          expression.map((text) => `(${text})`),
          expression.map((text) => `NOT ${text}`),
          expression.map((text) => `- ${text}`),
          list.map((text) => `coalesce(${text})`),
          list.map((text) => `id IN (${text})`),
          fc.tuple(expression, expression).map(([low, high]) => `id NOT BETWEEN (${low}) AND (${high})`),
          fc.tuple(expression, list).map(([one, all]) => `CASE WHEN ${one} THEN f(${all}) ELSE 2 END`),
          fc
            .tuple(expression, column)
            .map(([one, by]) => `sum(${one}) OVER (PARTITION BY ${by} ORDER BY ${by})`),
          expression.map((text) => `CAST(${text} AS char(3))`),
          expression.map((text) => `(${text}) IS NOT NULL`),
          expression.map((text) => `extract(day FROM ${text})`),
          query.map((text) => `EXISTS (${text})`),
          query.map((text) => `(${text})`),
        ),
        from: fc.oneof(
          { maxDepth: 2 },
          source,
          fc
            .tuple(tie('from'), join, source, expression)
            .map(([left, word, right, on]) => `${left} ${word} ${right} ON ${on}`),
          fc.tuple(tie('from'), source).map((texts) => texts.join(', ')),
          fc.tuple(tie('from'), table).map(([left, right]) => `${left} CROSS JOIN ${right}`),
        ),
        query: fc.oneof(
          { maxDepth: 2 },
          joined([
            columns.map((text) => `SELECT ${text}`),
            maybe(tie('from').map((text) => `FROM ${text}`)),
            maybe(where),
            maybe(list.map((text) => `GROUP BY ${text}`)),
            maybe(expression.map((text) => `HAVING ${text}`)),
            maybe(list.map((text) => `ORDER BY ${text} DESC`)),
            fc.constantFrom('', 'LIMIT 3', 'LIMIT 3 OFFSET 4'),
          ]),
          fc
            .tuple(query, fc.constantFrom('UNION', 'UNION ALL', 'EXCEPT'), query)
            .map(([one, word, two]) => `(${one}) ${word} (${two})`),
          fc.tuple(query, query).map(([one, two]) => `WITH w AS (${one}) ${two}`),
        ),
        statement: fc.oneof(
          query,
          fc.tuple(table, query).map((texts) => `INSERT INTO ${texts.join(' (id, title) ')}`),
          fc
            .tuple(table, expression, expression)
            .map(
              ([into, one, two]) =>
                `INSERT INTO ${into} (id, title) VALUES (${one}, ${two}) RETURNING id, title AS t`,
            ),
          fc
            .tuple(table, expression, maybe(where))
            .map(([changed, value, rest]) => `UPDATE ${changed} SET id = ${value}, title = DEFAULT ${rest}`),
          fc.tuple(table, where).map((texts) => `DELETE FROM ${texts.join(' ')}`),
        ),
      };
    },
  );
  return statement;
}
