/** The trees of statements: which operator binds more strongly, which clause holds what, and what is no part of any. */
import { describe, expect, test } from 'vitest';
import { outlineOf } from './outline.js';
import { treeOf } from './tree.js';

describe('PostgreSQL', () => {
  test.each([
    [
      `select a or b and not c = d + e * f ^ g`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation OR operatorItem=OR: A, (operation AND operatorItem=AND: B, (operation NOT operatorItem=NOT isPrefix: (operation = operatorItem==: C, (operation + operatorItem=+: D, (operation * operatorItem=*: E, (operation ^ operatorItem=^: F, G))))))))))`,
    ],
    [
      `select -a.b::int + c % d - e`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation - operatorItem=-: (operation + operatorItem=+: (operation - operatorItem=- isPrefix: (cast: A . B, (type INT: INT))), (operation % operatorItem=%: C, D)), E))))`,
    ],
    [
      `select a ilike b or c not like d escape '!' and e similar to f`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation OR operatorItem=OR: (operation ILIKE operatorItem=ILIKE: A, B), (operation AND operatorItem=AND: (operation NOT LIKE operatorItem=NOT: C, D, (string: '!')), (operation SIMILAR TO operatorItem=SIMILAR: E, F))))))`,
    ],
    [
      `select a not similar to b, c overlaps d, e not between f and g + 1 and h`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation NOT SIMILAR TO operatorItem=NOT: A, B)), (column: (operation OVERLAPS operatorItem=OVERLAPS: C, D)), (column: (operation AND operatorItem=AND: (operation NOT BETWEEN operatorItem=NOT: E, F, (operation + operatorItem=+: G, (number: 1))), H))))`,
    ],
    [
      `select a is not null, b is distinct from c, d isnull, e notnull`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation IS NOT NULL operatorItem=IS: A)), (column: (operation IS DISTINCT FROM operatorItem=IS: B, C)), (column: (operation IS NULL operatorItem=ISNULL: D)), (column: (operation IS NOT NULL operatorItem=NOTNULL: E))))`,
    ],
    [
      `select a in (1, 2), b not in (select c from d), e = any (f), g collate "C" < h`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation IN operatorItem=IN: A, (parentheses: (number: 1), (number: 2)))), (column: (operation NOT IN operatorItem=NOT: B, (subquery: (query SELECT verbItem=SELECT: (clause SELECT: (column: C)), (clause FROM: (table: D)))))), (column: (operation = operatorItem==: E, (call open=(: ANY, F))), (column: (operation < operatorItem=<: (operation COLLATE operatorItem=COLLATE: G, "C"), H))))`,
    ],
    [
      `select a at time zone 'UTC' -> 'b' ->> 'c' || d, e[1][2:3], (f).g.h`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation || operatorItem=|: (operation ->> operatorItem=-: (operation -> operatorItem=-: (operation AT TIME ZONE operatorItem=AT: A, (string: 'UTC')), (string: 'b')), (string: 'c')), D)), (column: (access: (access: E, (number: 1)), (opaque: (number: 2), (number: 3)))), (column: (access: (access: (parentheses: F))))))`,
    ],
    [
      `select case a when 1 then b when 2 then c else d end, case when e then f end`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (case: A, (number: 1), B, (number: 2), C, D)), (column: (case: E, F))))`,
    ],
    [
      `select cast(a as numeric(10, 2)), interval '1 day' * b, array[1, c], row(d, e), f(distinct g order by h) filter (where i)`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (cast isFunction: A, (type NUMERIC: (number: 10), (number: 2)))), (column: (operation * operatorItem=*: (typed: (type INTERVAL: INTERVAL), (string: '1 day')), B)), (column: (array: (number: 1), C)), (column: (call open=(: ROW, D, E)), (column: (call open=(: F, G, (clause ORDER: (sort-key: H)), (clause FILTER: (clause WHERE: I))))))`,
    ],
    [
      `select count(*) over (partition by a order by b desc nulls last rows between 1 preceding and current row) from c`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (call open=(: COUNT, *, (clause OVER: (clause PARTITION: A), (clause ORDER: (sort-key: B)), (clause FRAME: (opaque: (operation BETWEEN operatorItem=BETWEEN: ROWS, (number: 1)), (operation AND operatorItem=AND: PRECEDING, CURRENT), ROW)))))), (clause FROM: (table: C)))`,
    ],
    [
      `select distinct on (a) a, b as c, d e, f.* from g h, lateral (select 1) i (j) left join k using (l) cross join m natural join n`,
      `(query SELECT verbItem=SELECT: (clause DISTINCT: A), (clause SELECT: (column: A), (column alias=C: B), (column alias=E: D), (column: (star: F))), (clause FROM: (table alias=H: G), (join INNER isNatural: (join CROSS: (join LEFT: (derived isLateral alias=I: (subquery: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 1)))))), (table: K), (clause USING: L)), (table: M)), (table: N))))`,
    ],
    [
      `select * from a join b on a.c = b.d right join (select 1 as e union all select 2) f on true full outer join g on g.h = f.e`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: *)), (clause FROM: (join FULL: (join RIGHT: (join INNER: (table: A), (table: B), (clause ON: (operation = operatorItem==: A . C, B . D))), (derived alias=F: (subquery: (query SELECT verbItem=SELECT isCombined: (query SELECT verbItem=SELECT: (clause SELECT: (column alias=E: (number: 1)))), (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 2))))))), (clause ON: (word: TRUE))), (table: G), (clause ON: (operation = operatorItem==: G . H, F . E)))))`,
    ],
    [
      `select a from (values (1, 2), (3, 4)) b (c, d) where exists (select 1) group by a, rollup (c, d) having count(*) > 1`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (derived alias=B: (subquery: (query VALUES verbItem=VALUES: (clause VALUES: (parentheses: (number: 1), (number: 2)), (parentheses: (number: 3), (number: 4))))))), (clause WHERE: (operation EXISTS operatorItem=EXISTS isPrefix: (subquery: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 1))))))), (clause GROUP: (sort-key: A), (sort-key: (call open=(: ROLLUP, C, D))), (clause HAVING: (operation > operatorItem=>: (call open=(: COUNT, *), (number: 1))))`,
    ],
    [
      `(select a from b) union (select c from d) except select e from f intersect select g from h order by 1 limit 5 offset 6`,
      `(query SELECT verbItem=SELECT isCombined: (query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (table: B))), (query SELECT verbItem=SELECT: (clause SELECT: (column: C)), (clause FROM: (table: D))), (query SELECT verbItem=SELECT: (clause SELECT: (column: E)), (clause FROM: (table: F))), (query SELECT verbItem=SELECT: (clause SELECT: (column: G)), (clause FROM: (table: H))), (clause ORDER: (sort-key: (number: 1))), (clause LIMIT: (number: 5)), (clause OFFSET: (number: 6)))`,
    ],
    [
      `with recursive a (b) as (select 1 union select b + 1 from a), c as materialized (delete from d returning e) select * from a, c`,
      `(query SELECT verbItem=SELECT isRecursive: (with-query name=A: (query SELECT verbItem=SELECT isCombined: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 1)))), (query SELECT verbItem=SELECT: (clause SELECT: (column: (operation + operatorItem=+: B, (number: 1)))), (clause FROM: (table: A))))), (with-query name=C: (query DELETE verbItem=DELETE: (clause DELETE: (table: D)), (clause RETURNING: (column: E)))), (clause SELECT: (column: *)), (clause FROM: (table: A), (table: C)))`,
    ],
    [
      `insert into a (b, c) values (1, default), (2, 3) on conflict (b) do update set c = excluded.c where a.c <> 4 returning b as d`,
      `(query INSERT verbItem=INSERT: (clause INTO: (table: A)), (clause COLUMNS: B, C), (clause VALUES: (parentheses: (number: 1), (word: DEFAULT)), (parentheses: (number: 2), (number: 3))), (clause CONFLICT: (parentheses: B), (clause SET: (assignment: C, EXCLUDED . C)), (clause WHERE: (operation <> operatorItem=<: A . C, (number: 4)))), (clause RETURNING: (column alias=D: B)))`,
    ],
    [
      `insert into a select b from c on conflict on constraint d do nothing`,
      `(query INSERT verbItem=INSERT: (clause INTO: (table: A)), (query SELECT verbItem=SELECT: (clause SELECT: (column: B)), (clause FROM: (table: C))), (clause CONFLICT: ON CONFLICT ON CONSTRAINT D DO NOTHING))`,
    ],
    [
      `insert into a default values`,
      `(query INSERT verbItem=INSERT: (clause INTO: (table: A)), (clause VALUES: DEFAULT VALUES))`,
    ],
    [
      `update a b set c = d.e, (f, g) = (select 1, 2) from d where b.h = d.i returning *`,
      `(query UPDATE verbItem=UPDATE: (clause UPDATE: (table alias=B: A)), (clause SET: (assignment: C, D . E), (assignment: (parentheses: F, G), (subquery: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 1)), (column: (number: 2))))))), (clause FROM: (table: D)), (clause WHERE: (operation = operatorItem==: B . H, D . I)), (clause RETURNING: (column: *)))`,
    ],
    [
      `delete from only a using b where a.c = b.d`,
      `(query DELETE verbItem=DELETE: (clause DELETE: (table: A)), (clause USING: (table: B)), (clause WHERE: (operation = operatorItem==: A . C, B . D)))`,
    ],
    [
      `merge into a using b on a.c = b.c when matched and b.d then update set e = b.e when not matched then insert (c) values (b.c) when matched then delete`,
      `(query MERGE verbItem=MERGE: (clause INTO: (table: A)), (clause USING: (table: B)), (clause ON: (operation = operatorItem==: A . C, B . C)), (clause WHEN: B . D, (clause SET: (assignment: E, B . E), (opaque: (operation NOT operatorItem=NOT isPrefix: MATCHED), (call open=(: INSERT, C), (call open=(: VALUES, B . C), MATCHED, DELETE))))`,
    ],
    [
      `select a from b for update of b skip locked`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (table: B)), (clause FOR: B))`,
    ],
    [
      `select f(a => 1, b := 2), generate_series(1, 3), current_date, extract(year from c), substring(d from 2 for 3), trim(both 'x' from e)`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (call open=(: F, (operation => operatorItem==: A, (number: 1)), (operation := operatorItem=:=: B, (number: 2)))), (column: (call open=(: GENERATE_SERIES, (number: 1), (number: 3))), (column: (word: CURRENT_DATE)), (column: (call open=(: EXTRACT, YEAR, C)), (column: (call open=(: SUBSTRING, D, (number: 2), (number: 3))), (column: (call open=(: TRIM, (string: 'x'), E))))`,
    ],
    [
      `select x'1f', b'01', e'a\\'b', $$c$$, u&'d', 1.5e3, :[PARAM(a)]`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (string: x'1f')), (column: (string: b'01')), (column: (string: e'a\\'b')), (column: (string: $$c$$)), (column: (string: u&'d')), (column: (number: 1.5e3)), (opaque: (call open=(: PARAM, A))))`,
    ],
    [
      `select exists (select 1), not exists (select 2), all_of.a, (select 3) + 4`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation EXISTS operatorItem=EXISTS isPrefix: (subquery: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 1))))))), (column: (operation NOT operatorItem=NOT isPrefix: (operation EXISTS operatorItem=EXISTS isPrefix: (subquery: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 2)))))))), (column: ALL_OF . A), (column: (operation + operatorItem=+: (subquery: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 3))))), (number: 4)))))`,
    ],
    [
      `values (1, 2), (3, 4) order by 1`,
      `(query VALUES verbItem=VALUES: (clause VALUES: (parentheses: (number: 1), (number: 2)), (parentheses: (number: 3), (number: 4))), (clause ORDER: (sort-key: (number: 1))))`,
    ],
    [`table a`, `(query TABLE verbItem=TABLE: (clause FROM: (table: A)))`],
    [
      `select 1; select 2`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 1)), (opaque: (number: 2))))`,
    ],
    [`select a from`, `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: FROM))`],
    [`select (a, b`, `(query SELECT verbItem=SELECT: (clause SELECT: (column: (parentheses: A, B))))`],
    [
      `with a as (select 1) insert into b select * from a returning c`,
      `(query INSERT verbItem=INSERT: (with-query name=A: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 1))))), (clause INTO: (table: B)), (query SELECT verbItem=SELECT: (clause SELECT: (column: *)), (clause FROM: (table: A))), (clause RETURNING: (column: C)))`,
    ],
    [
      `with a as (select 1) (select * from a) limit 1`,
      `(query SELECT verbItem=SELECT isCombined: (with-query name=A: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 1))))), (query SELECT verbItem=SELECT: (clause SELECT: (column: *)), (clause FROM: (table: A))), (clause LIMIT: (number: 1)))`,
    ],
    [
      `(select 1) order by 1`,
      `(query SELECT verbItem=SELECT isCombined: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 1)))), (clause ORDER: (sort-key: (number: 1))))`,
    ],
    [
      `select a from b left join c join d on c.e = d.e on b.f = c.f natural left join g, only h`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (join LEFT isNatural: (join LEFT: (table: B), (join INNER: (table: C), (table: D), (clause ON: (operation = operatorItem==: C . E, D . E))), (clause ON: (operation = operatorItem==: B . F, C . F))), (table: G)), (table: H)))`,
    ],
    [
      `select * from rows from (j(1)) as k, lateral l(2) m, n.o p`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: *)), (clause FROM: (derived alias=K: (parentheses: (call open=(: J, (number: 1)))), (derived isLateral alias=M: (call open=(: L, (number: 2))), (table alias=P: N . O)))`,
    ],
  ])('%s', (sql, tree) => {
    expect(outlineOf(treeOf(sql, 'postgresql'))).toBe(tree);
  });
});

describe('MySQL and MariaDB', () => {
  test.each([
    [
      `select a or b xor c and not d, !e, f && g || h`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation OR operatorItem=OR: A, (operation XOR operatorItem=XOR: B, (operation AND operatorItem=AND: C, (operation NOT operatorItem=NOT isPrefix: D))))), (column: (operation ! operatorItem=! isPrefix: E)), (column: (operation || operatorItem=|: (operation && operatorItem=&: F, G), H))))`,
    ],
    [
      `select a := b + 1, c <=> d, e div f mod g, h % i`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation := operatorItem=:=: A, (operation + operatorItem=+: B, (number: 1)))), (column: (operation <=> operatorItem=<: C, D)), (column: (operation MOD operatorItem=MOD: (operation DIV operatorItem=DIV: E, F), G)), (column: (operation % operatorItem=%: H, I))))`,
    ],
    [
      `select a | b & c << d >> e ^ f, ~g, -h, binary i`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation | operatorItem=|: A, (operation & operatorItem=&: B, (operation >> operatorItem=>: (operation << operatorItem=<: C, D), (operation ^ operatorItem=^: E, F))))), (column: (operation ~ operatorItem=~ isPrefix: G)), (column: (operation - operatorItem=- isPrefix: H)), (column: (operation BINARY operatorItem=BINARY isPrefix: I))))`,
    ],
    [
      `select a like b, c not rlike d, e regexp f, g sounds like h, i member of (j), k is not true`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation LIKE operatorItem=LIKE: A, B)), (column: (operation NOT RLIKE operatorItem=NOT: C, D)), (column: (operation REGEXP operatorItem=REGEXP: E, F)), (column: (operation SOUNDS LIKE operatorItem=SOUNDS: G, H)), (column: (operation MEMBER OF operatorItem=MEMBER: I, (parentheses: J))), (column: (operation IS NOT TRUE operatorItem=IS: K))))`,
    ],
    [
      `select a between b and c and d, e not between f and g`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation AND operatorItem=AND: (operation BETWEEN operatorItem=BETWEEN: A, B, C), D)), (column: (operation NOT BETWEEN operatorItem=NOT: E, F, G))))`,
    ],
    [
      `select a->'$.b', c->>'$.d', json_value(e, '$.f' returning int), g collate utf8mb4_bin`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation -> operatorItem=-: A, (string: '$.b'))), (column: (operation ->> operatorItem=-: C, (string: '$.d'))), (column: (call open=(: JSON_VALUE, E, (string: '$.f'), (opaque: RETURNING INT))), (column: (operation COLLATE operatorItem=COLLATE: G, UTF8MB4_BIN))))`,
    ],
    [
      `select case a when 1 then b end, cast(c as unsigned), convert(d, char), convert(e using utf8mb4), interval 1 day + f`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (case: A, (number: 1), B)), (column: (cast isFunction: C, (type UNSIGNED: UNSIGNED))), (column: (cast isFunction: D, (type CHAR: CHAR))), (column: (call open=(: CONVERT, E, UTF8MB4)), (column: (operation + operatorItem=+: (typed: (number: 1), (type INTERVAL: DAY)), F))))`,
    ],
    [
      `select \`a b\`.c, "d", 'e' 'f', _utf8'g', @h, @@session.i, x'1f', 0x1f, date '2026-01-01'`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: \`a b\` . C), (column: (string: "d")), (column: (string: 'e' 'f')), (column: (typed: (type _UTF8: _UTF8), (string: 'g'))), (column: (variable: @ H)), (column: (variable: @ @ SESSION . I)), (column: (typed: (type X: X), (string: '1f'))), (column: (number: 0x1f)), (column: (typed: (type DATE: DATE), (string: '2026-01-01')))))`,
    ],
    [
      `select distinct sql_calc_found_rows a from b force index (c) straight_join d on b.e = d.e limit 5, 6`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (join INNER: (table: B, (opaque: (parentheses: C))), (table: D), (clause ON: (operation = operatorItem==: B . E, D . E)))), (clause LIMIT: (number: 5), (number: 6)))`,
    ],
    [
      `select a from b limit 6 offset 5 for update`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (table: B)), (clause LIMIT: (number: 6)), (clause OFFSET: (number: 5)), (clause FOR: FOR UPDATE))`,
    ],
    [
      `select group_concat(distinct a order by b separator ', '), count(distinct c, d) from e group by f with rollup`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (call open=(: GROUP_CONCAT, A, (clause ORDER: (sort-key: B)), (clause SEPARATOR: (string: ', ')))), (column: (call open=(: COUNT, C, D))), (clause FROM: (table: E)), (clause GROUP: (sort-key: F)))`,
    ],
    [
      `insert ignore into a set b = 1, c = default on duplicate key update c = values(c) + 1`,
      `(query INSERT verbItem=INSERT: (clause INTO: (table: A)), (clause SET: (assignment: B, (number: 1)), (assignment: C, (word: DEFAULT))), (clause DUPLICATE: (assignment: C, (operation + operatorItem=+: (call open=(: VALUES, C), (number: 1)))))`,
    ],
    [
      `insert into a (b) values row(1), row(2) as n on duplicate key update b = n.b`,
      `(query INSERT verbItem=INSERT: (clause INTO: (table: A)), (clause COLUMNS: B), (clause VALUES: (call open=(: ROW, (number: 1)), (call open=(: ROW, (number: 2))), (clause : (opaque: N)), (clause DUPLICATE: (assignment: B, N . B)))`,
    ],
    [
      `insert into a () values ()`,
      `(query INSERT verbItem=INSERT: (clause INTO: (table: A)), (clause COLUMNS: ( )), (clause VALUES: (parentheses: ( ))))`,
    ],
    [
      `replace into a (b) select c from d`,
      `(query REPLACE verbItem=REPLACE: (clause INTO: (table: A)), (clause COLUMNS: B), (query SELECT verbItem=SELECT: (clause SELECT: (column: C)), (clause FROM: (table: D))))`,
    ],
    [
      `update a, b set a.c = b.d where a.e = b.e order by a.c limit 3`,
      `(query UPDATE verbItem=UPDATE: (clause UPDATE: (table: A), (table: B)), (clause SET: (assignment: A . C, B . D)), (clause WHERE: (operation = operatorItem==: A . E, B . E)), (clause ORDER: (sort-key: A . C)), (clause LIMIT: (number: 3)))`,
    ],
    [
      `update low_priority ignore a set b = b + 1`,
      `(query UPDATE verbItem=UPDATE: (clause UPDATE: (table: A)), (clause SET: (assignment: B, (operation + operatorItem=+: B, (number: 1)))))`,
    ],
    [
      `delete a from a join b on a.c = b.c where b.d`,
      `(query DELETE verbItem=DELETE: (clause DELETE: (table: A)), (clause FROM: (join INNER: (table: A), (table: B), (clause ON: (operation = operatorItem==: A . C, B . C)))), (clause WHERE: B . D))`,
    ],
    [
      `delete from a where b order by c limit 1`,
      `(query DELETE verbItem=DELETE: (clause DELETE: (table: A)), (clause WHERE: B), (clause ORDER: (sort-key: C)), (clause LIMIT: (number: 1)))`,
    ],
    [
      `with a as (select 1) select * from a union select 2 union all (select 3 limit 1)`,
      `(query SELECT verbItem=SELECT isCombined: (with-query name=A: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 1))))), (query SELECT verbItem=SELECT: (clause SELECT: (column: *)), (clause FROM: (table: A))), (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 2)))), (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 3))), (clause LIMIT: (number: 1))))`,
    ],
    [`call a(1, b)`, `(query CALL verbItem=CALL: (clause : (opaque: (call open=(: A, (number: 1), B))))`],
    [
      `select next value for a, previous value for b.c, nextval(d)`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation NEXT VALUE FOR operatorItem=NEXT isPrefix: A)), (column: (operation PREVIOUS VALUE FOR operatorItem=PREVIOUS isPrefix: B . C)), (column: (call open=(: NEXTVAL, D))))`,
    ],
    [
      `select * from (a, b) join c using (d, e), lateral (select 1) f, json_table(g, '$' columns (h int path '$')) i`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: *)), (clause FROM: (join INNER: (parentheses: (table: A), (table: B)), (table: C), (clause USING: D, E)), (derived isLateral alias=F: (subquery: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 1)))))), (derived alias=I: (call open=(: JSON_TABLE, G, (string: '$'), (opaque: (call open=(: COLUMNS, H, (opaque: PATH, (string: '$'))))))))`,
    ],
  ])('%s', (sql, tree) => {
    expect(outlineOf(treeOf(sql, 'mysql'))).toBe(tree);
  });
});
