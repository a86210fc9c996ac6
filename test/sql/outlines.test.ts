/** The trees of statements: which operator binds more strongly, which clause holds what, and what is no part of any. */
import { describe, expect, test } from 'vitest';
import { outlineOf } from './outline.js';
import { treeOf } from './tree.js';

describe('PostgreSQL', () => {
  test.each([
    [
      `select a or b and not c = d + e * f ^ g`,
      `(query: (clause SELECT: (column: (operation OR: A, (operation AND: B, (operation NOT: (operation =: C, (operation +: D, (operation *: E, (operation ^: F, G))))))))))`,
    ],
    [
      `select -a.b::int + c % d - e`,
      `(query: (clause SELECT: (column: (operation -: (operation +: (operation -: (cast: A . B, INT)), (operation %: C, D)), E))))`,
    ],
    [
      `select a ilike b or c not like d escape '!' and e similar to f`,
      `(query: (clause SELECT: (column: (operation OR: (operation ILIKE: A, B), (operation AND: (operation NOT LIKE: C, D, '!'), (operation SIMILAR TO: E, F))))))`,
    ],
    [
      `select a not similar to b, c overlaps d, e not between f and g + 1 and h`,
      `(query: (clause SELECT: (column: (operation NOT SIMILAR TO: A, B)), (column: (operation OVERLAPS: C, D)), (column: (operation AND: (operation NOT BETWEEN: E, F, (operation +: G, 1)), H))))`,
    ],
    [
      `select a is not null, b is distinct from c, d isnull, e notnull`,
      `(query: (clause SELECT: (column: (operation IS NOT NULL: A)), (column: (operation IS DISTINCT FROM: B, C)), (column: (operation IS NULL: D)), (column: (operation IS NOT NULL: E))))`,
    ],
    [
      `select a in (1, 2), b not in (select c from d), e = any (f), g collate "C" < h`,
      `(query: (clause SELECT: (column: (operation IN: A, (parentheses: 1, 2))), (column: (operation NOT IN: B, (subquery: (query: (clause SELECT: (column: C)), (clause FROM: (table: D)))))), (column: (operation =: E, (call: ANY, F))), (column: (operation <: (operation COLLATE: G, "C"), H))))`,
    ],
    [
      `select a at time zone 'UTC' -> 'b' ->> 'c' || d, e[1][2:3], (f).g.h`,
      `(query: (clause SELECT: (column: (operation ||: (operation ->>: (operation ->: (operation AT TIME ZONE: A, 'UTC'), 'b'), 'c'), D)), (column: (access: (access: E, 1), (opaque: 2, 3))), (column: (access: (access: (parentheses: F))))))`,
    ],
    [
      `select case a when 1 then b when 2 then c else d end, case when e then f end`,
      `(query: (clause SELECT: (column: (case: A, 1, B, 2, C, D)), (column: (case: E, F))))`,
    ],
    [
      `select cast(a as numeric(10, 2)), interval '1 day' * b, array[1, c], row(d, e), f(distinct g order by h) filter (where i)`,
      `(query: (clause SELECT: (column: (cast: A, (type NUMERIC: 10, 2))), (column: (operation *: (typed: INTERVAL, '1 day'), B)), (column: (array: 1, C)), (column: (call: ROW, D, E)), (column: (call: F, G, (clause ORDER: (sort-key: H)), (clause FILTER: (clause WHERE: I))))))`,
    ],
    [
      `select count(*) over (partition by a order by b desc nulls last rows between 1 preceding and current row) from c`,
      `(query: (clause SELECT: (column: (call: COUNT, *, (clause OVER: (clause PARTITION: A), (clause ORDER: (sort-key: B)), (clause FRAME: (opaque: (operation BETWEEN: ROWS, 1), (operation AND: PRECEDING, CURRENT), ROW)))))), (clause FROM: (table: C)))`,
    ],
    [
      `select distinct on (a) a, b as c, d e, f.* from g h, lateral (select 1) i (j) left join k using (l) cross join m natural join n`,
      `(query: (clause DISTINCT: A), (clause SELECT: (column: A), (column: B), (column: D), (column: (star: F))), (clause FROM: (table: G), (join: (join: (join: (derived: (subquery: (query: (clause SELECT: (column: 1))))), (table: K), (clause USING: L)), (table: M)), (table: N))))`,
    ],
    [
      `select * from a join b on a.c = b.d right join (select 1 as e union all select 2) f on true full outer join g on g.h = f.e`,
      `(query: (clause SELECT: (column: *)), (clause FROM: (join: (join: (join: (table: A), (table: B), (clause ON: (operation =: A . C, B . D))), (derived: (subquery: (query: (query: (clause SELECT: (column: 1))), (query: (clause SELECT: (column: 2)))))), (clause ON: TRUE)), (table: G), (clause ON: (operation =: G . H, F . E)))))`,
    ],
    [
      `select a from (values (1, 2), (3, 4)) b (c, d) where exists (select 1) group by a, rollup (c, d) having count(*) > 1`,
      `(query: (clause SELECT: (column: A)), (clause FROM: (derived: (subquery: (query: (clause VALUES: (parentheses: 1, 2), (parentheses: 3, 4)))))), (clause WHERE: (operation EXISTS: (subquery: (query: (clause SELECT: (column: 1)))))), (clause GROUP: (sort-key: A), (sort-key: (call: ROLLUP, C, D))), (clause HAVING: (operation >: (call: COUNT, *), 1)))`,
    ],
    [
      `(select a from b) union (select c from d) except select e from f intersect select g from h order by 1 limit 5 offset 6`,
      `(query: (query: (clause SELECT: (column: A)), (clause FROM: (table: B))), (query: (clause SELECT: (column: C)), (clause FROM: (table: D))), (query: (clause SELECT: (column: E)), (clause FROM: (table: F))), (query: (clause SELECT: (column: G)), (clause FROM: (table: H))), (clause ORDER: (sort-key: 1)), (clause LIMIT: 5), (clause OFFSET: 6))`,
    ],
    [
      `with recursive a (b) as (select 1 union select b + 1 from a), c as materialized (delete from d returning e) select * from a, c`,
      `(query: (with-query: (query: (query: (clause SELECT: (column: 1))), (query: (clause SELECT: (column: (operation +: B, 1))), (clause FROM: (table: A))))), (with-query: (query: (clause DELETE: (table: D)), (clause RETURNING: (column: E)))), (clause SELECT: (column: *)), (clause FROM: (table: A), (table: C)))`,
    ],
    [
      `insert into a (b, c) values (1, default), (2, 3) on conflict (b) do update set c = excluded.c where a.c <> 4 returning b as d`,
      `(query: (clause INTO: (table: A)), (clause COLUMNS: B, C), (clause VALUES: (parentheses: 1, DEFAULT), (parentheses: 2, 3)), (clause CONFLICT: (parentheses: B), (clause SET: (assignment: C, EXCLUDED . C)), (clause WHERE: (operation <>: A . C, 4))), (clause RETURNING: (column: B)))`,
    ],
    [
      `insert into a select b from c on conflict on constraint d do nothing`,
      `(query: (clause INTO: (table: A)), (query: (clause SELECT: (column: B)), (clause FROM: (table: C))), ON CONFLICT ON CONSTRAINT D DO NOTHING)`,
    ],
    [`insert into a default values`, `(query: (clause INTO: (table: A)), DEFAULT VALUES)`],
    [
      `update a b set c = d.e, (f, g) = (select 1, 2) from d where b.h = d.i returning *`,
      `(query: (clause UPDATE: (table: A)), (clause SET: (assignment: C, D . E), (assignment: (parentheses: F, G), (subquery: (query: (clause SELECT: (column: 1), (column: 2)))))), (clause FROM: (table: D)), (clause WHERE: (operation =: B . H, D . I)), (clause RETURNING: (column: *)))`,
    ],
    [
      `delete from only a using b where a.c = b.d`,
      `(query: (clause DELETE: (table: A)), (clause USING: (table: B)), (clause WHERE: (operation =: A . C, B . D)))`,
    ],
    [
      `select a from b for update of b skip locked`,
      `(query: (clause SELECT: (column: A)), (clause FROM: (table: B)), (clause FOR: B))`,
    ],
    [
      `select f(a => 1, b := 2), generate_series(1, 3), current_date, extract(year from c), substring(d from 2 for 3), trim(both 'x' from e)`,
      `(query: (clause SELECT: (column: (call: F, (operation =>: A, 1), (operation :=: B, 2))), (column: (call: GENERATE_SERIES, 1, 3)), (column: CURRENT_DATE), (column: (call: EXTRACT, YEAR, C)), (column: (call: SUBSTRING, D, 2, 3)), (column: (call: TRIM, 'x', E))))`,
    ],
    [
      `select x'1f', b'01', e'a\\'b', $$c$$, u&'d', 1.5e3, :[PARAM(a)]`,
      `(query: (clause SELECT: (column: x'1f'), (column: b'01'), (column: e'a\\'b'), (column: $$c$$), (column: u&'d'), (column: 1.5e3), (opaque: (call: PARAM, A))))`,
    ],
    [
      `select exists (select 1), not exists (select 2), all_of.a, (select 3) + 4`,
      `(query: (clause SELECT: (column: (operation EXISTS: (subquery: (query: (clause SELECT: (column: 1)))))), (column: (operation NOT: (operation EXISTS: (subquery: (query: (clause SELECT: (column: 2))))))), (column: ALL_OF . A), (column: (operation +: (subquery: (query: (clause SELECT: (column: 3)))), 4))))`,
    ],
    [
      `values (1, 2), (3, 4) order by 1`,
      `(query: (clause VALUES: (parentheses: 1, 2), (parentheses: 3, 4)), (clause ORDER: (sort-key: 1)))`,
    ],
    [`table a`, `(query: (clause FROM: (table: A)))`],
    [`select 1; select 2`, `(query: (clause SELECT: (column: 1), (opaque: 2)))`],
    [`select a from`, `(query: (clause SELECT: (column: A)), FROM)`],
    [`select (a, b`, `(query: (clause SELECT: (column: (parentheses: A, B))))`],
  ])('%s', (sql, tree) => {
    expect(outlineOf(treeOf(sql, 'postgresql'))).toBe(tree);
  });
});

describe('MySQL and MariaDB', () => {
  test.each([
    [
      `select a or b xor c and not d, !e, f && g || h`,
      `(query: (clause SELECT: (column: (operation OR: A, (operation XOR: B, (operation AND: C, (operation NOT: D))))), (column: (operation !: E)), (column: (operation ||: (operation &&: F, G), H))))`,
    ],
    [
      `select a := b + 1, c <=> d, e div f mod g, h % i`,
      `(query: (clause SELECT: (column: (operation :=: A, (operation +: B, 1))), (column: (operation <=>: C, D)), (column: (operation MOD: (operation DIV: E, F), G)), (column: (operation %: H, I))))`,
    ],
    [
      `select a | b & c << d >> e ^ f, ~g, -h, binary i`,
      `(query: (clause SELECT: (column: (operation |: A, (operation &: B, (operation >>: (operation <<: C, D), (operation ^: E, F))))), (column: (operation ~: G)), (column: (operation -: H)), (column: (operation BINARY: I))))`,
    ],
    [
      `select a like b, c not rlike d, e regexp f, g sounds like h, i member of (j), k is not true`,
      `(query: (clause SELECT: (column: (operation LIKE: A, B)), (column: (operation NOT RLIKE: C, D)), (column: (operation REGEXP: E, F)), (column: (operation SOUNDS LIKE: G, H)), (column: (operation MEMBER OF: I, (parentheses: J))), (column: (operation IS NOT TRUE: K))))`,
    ],
    [
      `select a between b and c and d, e not between f and g`,
      `(query: (clause SELECT: (column: (operation AND: (operation BETWEEN: A, B, C), D)), (column: (operation NOT BETWEEN: E, F, G))))`,
    ],
    [
      `select a->'$.b', c->>'$.d', json_value(e, '$.f' returning int), g collate utf8mb4_bin`,
      `(query: (clause SELECT: (column: (operation ->: A, '$.b')), (column: (operation ->>: C, '$.d')), (column: (call: JSON_VALUE, E, '$.f', RETURNING INT)), (column: (operation COLLATE: G, UTF8MB4_BIN))))`,
    ],
    [
      `select case a when 1 then b end, cast(c as unsigned), convert(d, char), convert(e using utf8mb4), interval 1 day + f`,
      `(query: (clause SELECT: (column: (case: A, 1, B)), (column: (cast: C, UNSIGNED)), (column: (cast: D, CHAR)), (column: (call: CONVERT, E, UTF8MB4)), (column: (operation +: (typed: 1, DAY), F))))`,
    ],
    [
      `select \`a b\`.c, "d", 'e' 'f', _utf8'g', @h, @@session.i, x'1f', 0x1f, date '2026-01-01'`,
      `(query: (clause SELECT: (column: \`a b\` . C), (column: "d"), (column: 'e' 'f'), (column: (typed: _UTF8, 'g')), (column: @ H), (column: @ @ SESSION . I), (column: (typed: X, '1f')), (column: 0x1f), (column: (typed: DATE, '2026-01-01'))))`,
    ],
    [
      `select distinct sql_calc_found_rows a from b force index (c) straight_join d on b.e = d.e limit 5, 6`,
      `(query: (clause SELECT: (column: A)), (clause FROM: (join: (table: B, (opaque: (parentheses: C))), (table: D), (clause ON: (operation =: B . E, D . E)))), (clause LIMIT: 5, 6))`,
    ],
    [
      `select a from b limit 6 offset 5 for update`,
      `(query: (clause SELECT: (column: A)), (clause FROM: (table: B)), (clause LIMIT: 6), (clause OFFSET: 5), FOR UPDATE)`,
    ],
    [
      `select group_concat(distinct a order by b separator ', '), count(distinct c, d) from e group by f with rollup`,
      `(query: (clause SELECT: (column: (call: GROUP_CONCAT, A, (clause ORDER: (sort-key: B)), (clause SEPARATOR: ', '))), (column: (call: COUNT, C, D))), (clause FROM: (table: E)), (clause GROUP: (sort-key: F)))`,
    ],
    [
      `insert ignore into a set b = 1, c = default on duplicate key update c = values(c) + 1`,
      `(query: (clause INTO: (table: A)), (clause SET: (assignment: B, 1), (assignment: C, DEFAULT)), (clause DUPLICATE: (assignment: C, (operation +: (call: VALUES, C), 1))))`,
    ],
    [
      `insert into a (b) values row(1), row(2) as n on duplicate key update b = n.b`,
      `(query: (clause INTO: (table: A)), (clause COLUMNS: B), (clause VALUES: (call: ROW, 1), (call: ROW, 2)), (clause : (opaque: N)), (clause DUPLICATE: (assignment: B, N . B)))`,
    ],
    [`insert into a () values ()`, `(query: (clause INTO: (table: A)), ( ), (clause VALUES: ( )))`],
    [
      `replace into a (b) select c from d`,
      `(query: (clause INTO: (table: A)), (clause COLUMNS: B), (query: (clause SELECT: (column: C)), (clause FROM: (table: D))))`,
    ],
    [
      `update a, b set a.c = b.d where a.e = b.e order by a.c limit 3`,
      `(query: (clause UPDATE: (table: A), (table: B)), (clause SET: (assignment: A . C, B . D)), (clause WHERE: (operation =: A . E, B . E)), (clause ORDER: (sort-key: A . C)), (clause LIMIT: 3))`,
    ],
    [
      `update low_priority ignore a set b = b + 1`,
      `(query: (clause UPDATE: (table: A)), (clause SET: (assignment: B, (operation +: B, 1))))`,
    ],
    [
      `delete a from a join b on a.c = b.c where b.d`,
      `(query: (clause DELETE: (table: A)), (clause FROM: (join: (table: A), (table: B), (clause ON: (operation =: A . C, B . C)))), (clause WHERE: B . D))`,
    ],
    [
      `delete from a where b order by c limit 1`,
      `(query: (clause DELETE: (table: A)), (clause WHERE: B), (clause ORDER: (sort-key: C)), (clause LIMIT: 1))`,
    ],
    [
      `with a as (select 1) select * from a union select 2 union all (select 3 limit 1)`,
      `(query: (with-query: (query: (clause SELECT: (column: 1)))), (query: (clause SELECT: (column: *)), (clause FROM: (table: A))), (query: (clause SELECT: (column: 2))), (query: (clause SELECT: (column: 3)), (clause LIMIT: 1)))`,
    ],
    [`call a(1, b)`, `(query: (clause : (opaque: (call: A, 1, B))))`],
  ])('%s', (sql, tree) => {
    expect(outlineOf(treeOf(sql, 'mysql'))).toBe(tree);
  });
});
