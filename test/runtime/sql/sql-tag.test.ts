/** The `sql` tag of generated code, and the SQL generated for its placeholders. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inList, more, notInList, value } from '../../../runtime/sql/in-lists.js';
import { renderSql, sql } from '../../../runtime/sql/sql-template.js';
import type { Json } from '../../../runtime/handler/json.js';

const postgres = (template: ReturnType<typeof sql>, values: readonly Json[]) =>
  renderSql(template, values, 'postgresql');
const mysql = (template: ReturnType<typeof sql>, values: readonly Json[]) =>
  renderSql(template, values, 'mysql');

describe('sql removes what the generated code adds', () => {
  test('the line breaks at both ends and the indentation of the first line', () => {
    expect(sql`
      select id,
        title
      from news
    `).toBe('select id,\n  title\nfrom news');
  });

  test('a text on the line of the tag stays as it is', () => {
    expect(sql`select 1`).toBe('select 1');
  });

  test('empty lines stay empty, and a line with less indentation stays as it is', () => {
    expect(sql`
      select '

  x'
    `).toBe("select '\n\n  x'");
  });

  test('a line that begins with a hole', () => {
    const template = sql`
      ${value}
      = 1
    `;
    expect(postgres(template, [7]).text).toBe('$1\n= 1');
  });

  test('is the exact inverse of indenting every line that is not empty', () => {
    const line = fc.string({ unit: fc.constantFrom(' ', '\t', 'a', "'", '`', '\\', '$', '{') });
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom('', '  ', '    ', '\t'), (lines, indentation) => {
        const text = ['select', ...lines, 'x'].join('\n');
        const indented = text.replaceAll(/^(?=.)/gm, indentation);
        const strings = [`\n${indented}\n  `];
        expect(sql(Object.assign(strings, { raw: strings }))).toBe(text);
      }),
    );
  });
});

describe('lists in IN', () => {
  const one = sql`select * from t where id ${inList()} and a = ${value}`;

  test('an array is its elements, markers are counted through', () => {
    expect(postgres(one, [[1, 2], 'x'])).toMatchObject({
      text: 'select * from t where id IN ($1, $2) and a = $3',
      values: [1, 2, 'x'],
    });
    expect(mysql(one, [[1, 2], 'x']).text).toBe('select * from t where id IN (?, ?) and a = ?');
  });

  test('the number of markers grows in powers of two, the last element repeated', () => {
    expect(postgres(one, [[1, 2, 3], 'x'])).toMatchObject({
      text: 'select * from t where id IN ($1, $2, $3, $4) and a = $5',
      values: [1, 2, 3, 3, 'x'],
    });
  });

  test('a value that is not an array is one element', () => {
    expect(postgres(one, [null, 'x']).values).toEqual([null, 'x']);
    expect(postgres(one, ['a,b', 'x']).text).toContain('IN ($1)');
  });

  test('an empty list matches nothing, and NOT IN everything', () => {
    expect(postgres(one, [[], 'x'])).toMatchObject({
      text: "select * from t where id = ANY ('{}') and a = $1",
      values: ['x'],
    });
    const none = sql`select * from t where id ${notInList(2)}`;
    expect(postgres(none, [[], []]).text).toContain("id <> ALL ('{}')");
    expect(mysql(none, [[], []]).text).toContain('id NOT IN (SELECT NULL FROM DUAL WHERE FALSE)');
  });

  test('several arrays in one list', () => {
    expect(postgres(sql`x ${notInList(3)}`, [[1], 2, [3, 4]])).toMatchObject({
      text: 'x NOT IN ($1, $2, $3, $4)',
      values: [1, 2, 3, 4],
    });
  });

  test('elements next to other items carry their commas', () => {
    const beside = sql`x in (${more.after}1${more.before})`;
    expect(postgres(beside, [[], []]).text).toBe('x in (1)');
    expect(postgres(beside, [[5, 6], 7])).toMatchObject({ text: 'x in ($1, $2, 1, $3)', values: [5, 6, 7] });
  });

  test('a list that is longer than a statement can carry is bad input', () => {
    const long = Array.from({ length: 70_000 }, (_, index) => index);
    expect(() => postgres(one, [long, 'x'])).toThrow(expect.objectContaining({ status: 400 }));
    const longest = Array.from({ length: 60_000 }, (_, index) => index);
    expect(mysql(one, [longest, 'x']).values).toHaveLength(60_001);
    expect(postgres(one, [longest.slice(0, 32_766), 'x']).values).toHaveLength(32_767);
    expect(() => postgres(one, [longest.slice(0, 32_767), 'x'])).toThrow(
      expect.objectContaining({ status: 400 }),
    );
  });
});
