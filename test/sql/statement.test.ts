/** Properties that fixtures/sql cannot show: rendering, folded lines, and properties of arbitrary text. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wholeText, type ScalarText } from '../../compiler/read/source.js';
import { lowerSql } from '../../compiler/read/sql/rewrite/lower.js';
import { kindOfExpression } from '../../compiler/read/sql/facts/value-kind.js';
import { textForEach } from '../../compiler/read/sql/rewrite/for-each.js';
import { questionOf } from '../../compiler/read/sql/rewrite/question.js';
import { renderSql } from '../../compiler/read/sql/rewrite/render.js';
import { readSql } from '../../compiler/read/sql/statement.js';
import { Trial } from '../../compiler/read/diagnostics/trial.js';
import { anySql } from './any-sql.js';
import { read } from './reading.js';
import { runs } from '../helpers/runs.js';

function rendered(given: string, text: ScalarText): string | undefined {
  const { statement } = read(given, text);
  return statement && renderSql(lowerSql(statement, { kindOf: kindOfExpression, isResultRead: true }));
}

describe('renderSql', () => {
  test('numbers the markers of PostgreSQL and not those of MySQL', () => {
    const text = wholeText('query', 'select :[PARAM(a)], :[PARAM(b)]');
    expect(rendered('postgresql READ', text)).toBe('select $1, $2');
    expect(rendered('mysql READ', text)).toBe('select ?, ?');
  });

  test('has no text if an IN list makes the number of markers vary', () => {
    expect(rendered('mysql READ', wholeText('query', 'select 1 where 1 in (:[PARAM(a)])'))).toBeUndefined();
  });

  test('numbers a parameter that occurs twice once', () => {
    const text = wholeText('query', 'select :[PARAM(b)], a + :[PARAM(a)] from t group by a + :[PARAM(a)], 1');
    expect(rendered('postgresql READ', text)).toBe('select $1, a + $2 from t group by a + $2, 1');
  });

  test('has the text without the RETURNING that was added, for servers and users that reject it', () => {
    const text = wholeText('query', 'delete from a using b where b.id = :[PARAM(x)]');
    const { statement } = read('postgresql UPDATE', text);
    const lowered = statement && lowerSql(statement, { kindOf: kindOfExpression, isResultRead: true });
    expect(lowered && renderSql(lowered)).toBe('delete from a using b where b.id = $1 returning a.*');
    expect(lowered && renderSql(lowered, lowered.added?.before)).toBe(
      'delete from a using b where b.id = $1',
    );
  });

  test('adds no RETURNING where nobody reads the rows', () => {
    const { statement } = read('postgresql UPDATE', wholeText('query', 'delete from a'));
    const lowered = statement && lowerSql(statement, { kindOf: kindOfExpression, isResultRead: false });
    expect(lowered && renderSql(lowered)).toBe('delete from a');
    expect(lowered?.added).toBeUndefined();
  });
});

/** A YAML scalar after `before`, written over several lines: each line break with its indentation becomes one space. */
function folded(before: string, written: string): ScalarText {
  const breaks = [...written.matchAll(/\n */g)];
  const value = written.replaceAll(/\n */g, ' ');
  const offset = (index: number): number => {
    let at = index;
    for (const found of breaks) if (found.index < at) at += found[0].length - 1;
    return before.length + at;
  };
  const file = wholeText('config.yaml', before + written);
  const spanOf = (start: number, end: number) => file.spanOf(offset(start), offset(end - 1) + 1);
  return { value, span: file.span, spanOf };
}

describe('line breaks that YAML folded', () => {
  test.each([
    ['query: ', 'select id\n  from news\n    limit 1', 'select id\nfrom news\n  limit 1'],
    ['query: ', 'select id\n       from news', 'select id\nfrom news'],
    ['', 'select id\n  from news\nlimit 1', 'select id\n  from news\nlimit 1'],
  ])('return with the indentation beyond the least indented line: %j', (before, written, expected) => {
    expect(rendered('postgresql READ', folded(before, written))).toBe(expected);
  });

  test('stay spaces inside strings', () => {
    expect(rendered('postgresql READ', folded('', "select 'a\nb'"))).toBe("select 'a b'");
  });

  test('make a comment swallow the lines below it, which is an error', () => {
    const { statement, report } = read('postgresql READ', folded('', 'select 1 -- one\nfrom news'));
    expect(statement).toBeUndefined();
    expect(report.diagnostics.map(({ code }) => code)).toEqual(['sql-comment-over-lines']);
  });
});

describe('properties', () => {
  const given = fc.constantFrom(
    'postgresql READ',
    'postgresql UPDATE',
    'mysql READ',
    'mysql UPDATE B',
    'mysql READ sql PARAM(a)',
  );

  test('any text is read or has an error, and nothing is thrown', () => {
    fc.assert(
      fc.property(given, anySql, (words, sql) => {
        const { statement, report } = read(words, wholeText('query', sql));
        expect(statement === undefined).toBe(report.hasErrors);
      }),
      { numRuns: runs(188, 3000) },
    );
  });

  test('no placeholder is part of the text, and each has its binding', () => {
    const right = fc
      .array(
        fc.constantFrom("'a'", ':[PARAM(x)]', '(:[PARAM(y)])', '1 in (:[PARAM(z)], 2)', "':[1]'", '1 -- a\n'),
        { minLength: 1 },
      )
      .map((items) => `select ${items.join(', ')}`);
    fc.assert(
      fc.property(given, right, (words, sql) => {
        const { statement } = read(words.replace(/ (?:B|sql.*)$/, ''), wholeText('query', sql));
        const written = sql.split('PARAM').length - 1;
        expect(statement?.bindings.length).toBe(written);
        const parts =
          statement && lowerSql(statement, { kindOf: kindOfExpression, isResultRead: true }).parts;
        for (const part of parts ?? []) {
          if (part.kind === 'text') expect(part.text).not.toContain('PARAM');
        }
      }),
      { numRuns: runs(63, 1000) },
    );
  });
});

describe('atomic', () => {
  test.each([
    ['SELECT 1', 'postgresql', true],
    ['/* CALL */ (WITH a AS (SELECT 1) SELECT * FROM a)', 'postgresql', true],
    ["SELECT 'http_get(x)' AS http_get", 'postgresql', true],
    ['INSERT INTO t (a) VALUES (1) RETURNING a', 'postgresql', true],
    ["SELECT dblink('a', 'b')", 'postgresql', false],
    ["SELECT status FROM public.http_post('a', 'b')", 'postgresql', false],
    ['CALL work()', 'postgresql', false],
    ['CREATE INDEX CONCURRENTLY i ON t (a)', 'postgresql', false],
    ['REPLACE INTO t (a) VALUES (1)', 'mysql', true],
    ['CALL work()', 'mysql', false],
    ['SET STATEMENT max_statement_time = 1 FOR SELECT 1', 'mysql', true],
  ])('%s on %s', (sql, dialect, isAtomic) => {
    const use = /^(?:INSERT|REPLACE|CREATE)/.test(sql) ? 'UPDATE' : 'READ';
    expect(read(`${dialect} ${use}`, wholeText('query', sql)).statement?.atomic).toBe(isAtomic);
  });
});

describe('for each element of a list', () => {
  test.each([
    ['select a from item where a = :[PARAM(x)] and b in (:[PARAM(y)], 1)', 'postgresql'],
    ['select a from item where a = :[PARAM(x)] and b in (:[PARAM(y)], 1)', 'mysql'],
    ['select tags[1:2] from item where a = :[PARAM(x)]', 'postgresql'],
  ])('not %s on %s', (sql, dialect) => {
    const { statement } = read(`${dialect} READ`, wholeText('query', sql));
    const lowered = statement && lowerSql(statement, { kindOf: kindOfExpression, isResultRead: true });
    expect(lowered).toBeDefined();
    expect(statement && lowered && textForEach(statement, lowered)).toBeUndefined();
  });
});

describe('as a database is asked about it', () => {
  test.each([
    ['x not in (:[PARAM(a)], :[PARAM(b)]) or y in (:[PARAM(c)], 1, :[PARAM(d)])', 'mysql', '0 1 2 3'],
    ['x not in (:[PARAM(a)], :[PARAM(b)]) or y in (:[PARAM(c)], 1, :[PARAM(d)])', 'postgresql', '0 1 2 3'],
  ])('select 1 from t where %s on %s', (condition, dialect, lists) => {
    const { statement } = read(`${dialect} READ`, wholeText('query', `select 1 from t where ${condition}`));
    const question = statement && questionOf(statement, kindOfExpression);
    const markers = dialect === 'mysql' ? ['?', '?', '?', '?'] : ['$1', '$2', '$3', '$4'];
    const [a, b, c, d] = markers;
    expect(question?.text).toBe(`select 1 from t where x NOT IN (${a}, ${b}) or y in (${c}, 1, ${d})`);
    expect([...(question?.lists ?? [])].join(' ')).toBe(lists);
  });
});

describe('a value of a known kind', () => {
  test.each([
    ['date', "select to_char(:[PARAM(a)], 'YYYY')", "select to_char($1::date, 'YYYY')"],
    ['timestamptz', "select to_char(:[PARAM(a)], 'YYYY')", "select to_char($1::timestamptz, 'YYYY')"],
  ] as const)('%s: %s', (kind, sql, expected) => {
    const form = { kind: 'query', syntax: 'A' } as const;
    const { statement } = readSql(wholeText('query', sql), 'postgresql', form, 'READ', new Trial());
    const lowered = statement && lowerSql(statement, { kindOf: () => kind, isResultRead: true });
    expect(lowered && renderSql(lowered)).toBe(expected);
  });
});

describe('code of the database of which nothing is known', () => {
  test.each([
    ['SELECT remember(1)', 'postgresql', true],
    ['SELECT app.lower(a) FROM t', 'postgresql', true],
    ['INSERT INTO t (a) VALUES (remember(1))', 'postgresql', true],
    ['SELECT id FROM remembered(1) AS r', 'postgresql', true],
    ['CALL work()', 'mysql', true],
    ['SELECT lower(a), count(*) FROM t WHERE id = ANY (ARRAY[1]) GROUP BY a', 'postgresql', false],
    ["INSERT INTO t (a) VALUES (nextval('s')) ON CONFLICT (a) DO NOTHING", 'postgresql', false],
    ["SELECT set_config('app.tenant', 'a', true)", 'postgresql', false],
    ['INSERT INTO t (a) VALUES (rand())', 'mysql', false],
  ])('%s on %s: %s', (sql, dialect, runsUnknownCode) => {
    const use = sql.startsWith('INSERT') ? 'UPDATE' : 'READ';
    const { statement } = read(`${dialect} ${use}`, wholeText('query', sql));
    const lowered = statement && lowerSql(statement, { kindOf: kindOfExpression, isResultRead: false });
    expect(lowered?.runsUnknownCode).toBe(runsUnknownCode);
  });
});

describe('a value next to a column, in any query and comparison', () => {
  test.each([
    ['SELECT MAX(COALESCE(i, :[PARAM(d)])) FROM p', ['i']],
    ['SELECT MAX(m) FROM (SELECT COALESCE(i, :[PARAM(d)]) AS m FROM p) AS q', ['i']],
    ['SELECT (SELECT IFNULL(p.i, :[PARAM(d)]) FROM p LIMIT 1) AS m', ['i']],
    ['SELECT 1 UNION SELECT IFNULL(i, :[PARAM(d)]) FROM p', ['i']],
    ['WITH q AS (SELECT IF(i > 1, i, :[PARAM(d)]) AS m FROM p) SELECT m FROM q', ['i']],
    ['SELECT 1 FROM p WHERE COALESCE(i, :[PARAM(d)]) < COALESCE(n, :[PARAM(e)])', ['i']],
    ['SELECT 1 FROM p WHERE COALESCE(i, :[PARAM(d)]) < 5', undefined],
    ['SELECT 1 FROM p WHERE COALESCE(i, :[PARAM(d)]) = n', undefined],
  ])('%s', (sql, columns) => {
    expect(read('mysql READ', wholeText('query', sql)).statement?.uses.get(0)?.besideColumns).toEqual(
      columns,
    );
  });
});
