/** The trees of statements: operator precedence, contents of clauses, and parts outside clauses. */
import { describe, expect, test } from 'vitest';
import { outlineOf } from './outline.js';
import { treeOf } from './tree.js';
import { expectWhole } from './whole-tree.js';

describe('PostgreSQL', () => {
  test.each([
    [
      `select a operator b from c limit 1 2`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column alias=OPERATOR: A), (opaque: B)), (clause FROM: (table: C)), (clause LIMIT: (number: 1), (opaque: (number: 2))))`,
    ],
    [
      `with a as materialized select 1, b as (select 2) cycle c set d using e select * from a, b`,
      `(query SELECT verbItem=SELECT: (with-query name=A: A AS MATERIALIZED), (clause SELECT: (column: (number: 1)), (column: B), (opaque: (subquery: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 2))))), CYCLE, C, SET, D, E, *)), (clause FROM: (table: A), (table: B)))`,
    ],
    [
      `merge into a using b on a.c = b.c when not matched then insert (c, d) overriding system value values (b.c, 1) when matched then do nothing`,
      `(query MERGE verbItem=MERGE: (clause INTO: (table: A)), (clause USING: (table: B)), (clause ON: (operation = operatorItem==: A . C, B . C)), (clause WHEN modifiers=[NOT|MATCHED|INSERT]: (clause COLUMNS: C, D), (clause VALUES: (parentheses: B . C, (number: 1)))), (clause WHEN modifiers=[MATCHED|DO]: (opaque: NOTHING)))`,
    ],
    [
      `update a set b = 1 returning with (old as o, new as n) o.b, n.b`,
      `(query UPDATE verbItem=UPDATE: (clause UPDATE: (table: A)), (clause SET: (assignment: B, (number: 1))), (clause RETURNING modifiers=[WITH]: (column: O . B), (column: N . B)))`,
    ],
    [
      `select sum(a) over (order by b range between interval '1' year to month preceding and current row exclude ties), c over d from e window d as partition`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (call open=(: SUM, A, (clause OVER: (clause ORDER: (sort-key: B)), (clause FRAME: (opaque: (operation BETWEEN operatorItem=BETWEEN: RANGE, (typed: (type INTERVAL: INTERVAL), (string: '1'))), (operation AND operatorItem=AND: PRECEDING, CURRENT), ROW, EXCLUDE, TIES))))), (column: C), (opaque: OVER, D)), (clause FROM: (table: E)), (clause WINDOW: (opaque: D AS), (opaque: PARTITION)))`,
    ],
    [
      `select a from only (b), only c`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (table: B), (table: C)))`,
    ],
    [
      `select a::int[3][], interval '1' year to month, interval '1' second (2), interval '2' day`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (cast: A, (type INT isArray: (number: 3)))), (column: (typed: (type INTERVAL: INTERVAL), (string: '1'))), (column: (typed: (type INTERVAL: INTERVAL), (string: '1'))), (column: (typed: (type INTERVAL: INTERVAL), (string: '2')))))`,
    ],
    [
      `select a is json, b is not json object, c between symmetric d and e, f operator(pg_catalog.+) g, h operator i, j similar k`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation IS JSON operatorItem=IS: A)), (column: (operation IS NOT JSON operatorItem=IS: B)), (column: (operation BETWEEN operatorItem=BETWEEN: C, D, E)), (column: (operation pg_catalog.+ operatorItem=OPERATOR: F, G)), (column alias=OPERATOR: H), (opaque: I), (column alias=SIMILAR: J), (opaque: K)))`,
    ],
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
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (cast isFunction: A, (type NUMERIC: (number: 10), (number: 2)))), (column: (operation * operatorItem=*: (typed: (type INTERVAL: INTERVAL), (string: '1 day')), B)), (column: (array: (number: 1), C)), (column: (call separators=[|,] open=(: ROW, D, E)), (column: (call modifiers=[DISTINCT] open=(: F, G, (clause ORDER: (sort-key: H)), (clause FILTER: (clause WHERE: I))))))`,
    ],
    [
      `select count(*) over (partition by a order by b desc nulls last rows between 1 preceding and current row) from c`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (call open=(: COUNT, *, (clause OVER: (clause PARTITION: A), (clause ORDER: (sort-key: B)), (clause FRAME: (opaque: (operation BETWEEN operatorItem=BETWEEN: ROWS, (number: 1)), (operation AND operatorItem=AND: PRECEDING, CURRENT), ROW)))))), (clause FROM: (table: C)))`,
    ],
    [
      `select distinct on (a) a, b as c, d e, f.* from g h, lateral (select 1) i (j) left join k using (l) cross join m natural join n`,
      `(query SELECT verbItem=SELECT: (clause DISTINCT: A), (clause SELECT modifiers=[DISTINCT]: (column: A), (column alias=C: B), (column alias=E: D), (column: (star: F))), (clause FROM: (table alias=H: G), (join INNER isNatural: (join CROSS: (join LEFT: (derived isLateral alias=I: (subquery: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 1)))))), (table: K), (clause USING: L)), (table: M)), (table: N))))`,
    ],
    [
      `select * from a join b on a.c = b.d right join (select 1 as e union all select 2) f on true full outer join g on g.h = f.e`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: *)), (clause FROM: (join FULL: (join RIGHT: (join INNER: (table: A), (table: B), (clause ON: (operation = operatorItem==: A . C, B . D))), (derived alias=F: (subquery: (query SELECT verbItem=SELECT operators=[UNION ALL] isCombined: (query SELECT verbItem=SELECT: (clause SELECT: (column alias=E: (number: 1)))), (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 2))))))), (clause ON: (word: TRUE))), (table: G), (clause ON: (operation = operatorItem==: G . H, F . E)))))`,
    ],
    [
      `select a from (values (1, 2), (3, 4)) b (c, d) where exists (select 1) group by a, rollup (c, d) having count(*) > 1`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (derived alias=B: (subquery: (query VALUES verbItem=VALUES: (clause VALUES: (parentheses: (number: 1), (number: 2)), (parentheses: (number: 3), (number: 4))))))), (clause WHERE: (operation EXISTS operatorItem=EXISTS isPrefix: (subquery: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 1))))))), (clause GROUP: (sort-key: A), (sort-key: (call separators=[|,] open=(: ROLLUP, C, D))), (clause HAVING: (operation > operatorItem=>: (call open=(: COUNT, *), (number: 1))))`,
    ],
    [
      `(select a from b) union (select c from d) except select e from f intersect select g from h order by 1 limit 5 offset 6`,
      `(query SELECT verbItem=SELECT operators=[UNION|EXCEPT|INTERSECT] isCombined: (query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (table: B))), (query SELECT verbItem=SELECT: (clause SELECT: (column: C)), (clause FROM: (table: D))), (query SELECT verbItem=SELECT: (clause SELECT: (column: E)), (clause FROM: (table: F))), (query SELECT verbItem=SELECT: (clause SELECT: (column: G)), (clause FROM: (table: H))), (clause ORDER: (sort-key: (number: 1))), (clause LIMIT: (number: 5)), (clause OFFSET: (number: 6)))`,
    ],
    [
      `with recursive a (b) as (select 1 union select b + 1 from a), c as materialized (delete from d returning e) select * from a, c`,
      `(query SELECT verbItem=SELECT isRecursive: (with-query name=A: (query SELECT verbItem=SELECT operators=[UNION] isCombined: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 1)))), (query SELECT verbItem=SELECT: (clause SELECT: (column: (operation + operatorItem=+: B, (number: 1)))), (clause FROM: (table: A))))), (with-query name=C: (query DELETE verbItem=DELETE: (clause DELETE: (table: D)), (clause RETURNING: (column: E)))), (clause SELECT: (column: *)), (clause FROM: (table: A), (table: C)))`,
    ],
    [
      `insert into a (b, c) values (1, default), (2, 3) on conflict (b) do update set c = excluded.c where a.c <> 4 returning b as d`,
      `(query INSERT verbItem=INSERT: (clause INTO: (table: A)), (clause COLUMNS: B, C), (clause VALUES: (parentheses: (number: 1), (word: DEFAULT)), (parentheses: (number: 2), (number: 3))), (clause CONFLICT modifiers=[UPDATE]: (parentheses: B), (clause SET: (assignment: C, EXCLUDED . C)), (clause WHERE: (operation <> operatorItem=<: A . C, (number: 4)))), (clause RETURNING: (column alias=D: B)))`,
    ],
    [
      `insert into a select b from c on conflict on constraint d do nothing`,
      `(query INSERT verbItem=INSERT: (clause INTO: (table: A)), (query SELECT verbItem=SELECT: (clause SELECT: (column: B)), (clause FROM: (table: C))), (clause CONFLICT: ON CONFLICT ON CONSTRAINT D DO NOTHING))`,
    ],
    [
      `insert into a default values`,
      `(query INSERT verbItem=INSERT: (clause INTO: (table: A)), (clause VALUES modifiers=[DEFAULT]: DEFAULT VALUES))`,
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
      `(query MERGE verbItem=MERGE: (clause INTO: (table: A)), (clause USING: (table: B)), (clause ON: (operation = operatorItem==: A . C, B . C)), (clause WHEN modifiers=[MATCHED|UPDATE]: B . D, (clause SET: (assignment: E, B . E), (opaque: (operation NOT operatorItem=NOT isPrefix: MATCHED), (call open=(: INSERT, C), (call open=(: VALUES, B . C), MATCHED, DELETE))))`,
    ],
    [
      `select a from b for update of b skip locked`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (table: B)), (clause FOR modifiers=[UPDATE|OF|SKIP|LOCKED]: B))`,
    ],
    [
      `select f(a => 1, b := 2), generate_series(1, 3), current_date, extract(year from c), substring(d from 2 for 3), trim(both 'x' from e)`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (call separators=[|,] open=(: F, (operation => operatorItem==: A, (number: 1)), (operation := operatorItem=:=: B, (number: 2)))), (column: (call separators=[|,] open=(: GENERATE_SERIES, (number: 1), (number: 3))), (column: (word: CURRENT_DATE)), (column: (call separators=[|FROM] open=(: EXTRACT, YEAR, C)), (column: (call separators=[|FROM|FOR] open=(: SUBSTRING, D, (number: 2), (number: 3))), (column: (call separators=[|FROM] modifiers=[BOTH] open=(: TRIM, (string: 'x'), E))))`,
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
    [
      `select a from b join`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (opaque: (table: B))))`,
    ],
    [
      `select e[:2], f[1:], g[:], $1, $2::int`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (access: E, (opaque: (number: 2)))), (column: (access: F, (opaque: (number: 1)))), (column: (access: G, (opaque: :))), (column: (opaque: $1)), (column: (cast: (opaque: $2), (type INT: INT)))))`,
    ],
    [
      `prepare p as select a from b`,
      `(query PREPARE verbItem=PREPARE: (clause : (opaque: P)), (query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (table: B))))`,
    ],
    [
      `create table c as select a from b`,
      `(query CREATE verbItem=CREATE: (clause : (opaque: C)), (query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (table: B))))`,
    ],
    [
      `create view c as (select 1)`,
      `(query CREATE verbItem=CREATE: (clause : (opaque: VIEW, C, (subquery: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 1))))))))`,
    ],
    [
      `declare c cursor for select a from b`,
      `(query DECLARE verbItem=DECLARE: (clause : (opaque: C, CURSOR)), (query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (table: B))))`,
    ],
    [
      `explain (analyze) select a from b`,
      `(query EXPLAIN verbItem=EXPLAIN: (clause : (opaque: (parentheses: (opaque: ANALYZE)))), (query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (table: B))))`,
    ],
    [
      `explain insert into a select b from c`,
      `(query EXPLAIN verbItem=EXPLAIN: (clause : EXPLAIN), (query INSERT verbItem=INSERT: (clause INTO: (table: A)), (query SELECT verbItem=SELECT: (clause SELECT: (column: B)), (clause FROM: (table: C)))))`,
    ],
    [
      `select all a from b tablesample system (10) repeatable (1)`,
      `(query SELECT verbItem=SELECT: (clause SELECT modifiers=[ALL]: (column: A)), (clause FROM: (table: B, (opaque: (call open=(: SYSTEM, (number: 10)), (call open=(: REPEATABLE, (number: 1))))))`,
    ],
    [
      `select a from unnest(b, c) with ordinality as d (e, f)`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (derived alias=D: (call separators=[|,] open=(: UNNEST, B, C))))`,
    ],
    [
      `select a from rows from (b(1), c(2)) with ordinality`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (derived: (parentheses: (call open=(: B, (number: 1)), (call open=(: C, (number: 2))))))`,
    ],
    [
      `select a from b fetch first 5 rows with ties`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (table: B)), (clause FETCH modifiers=[FIRST|ROWS|WITH|TIES]: (number: 5)))`,
    ],
    [
      `select a from b offset 2 rows fetch next row only`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (table: B)), (clause OFFSET modifiers=[ROWS]: (number: 2)), (clause FETCH modifiers=[NEXT|ROW|ONLY]: FETCH NEXT ROW ONLY))`,
    ],
    [
      `select a from b limit all offset 3`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (table: B)), (clause LIMIT modifiers=[ALL]: LIMIT ALL), (clause OFFSET: (number: 3)))`,
    ],
    [
      `select a from b for no key update of b, c nowait for share skip locked`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (table: B)), (clause FOR modifiers=[NO|KEY|UPDATE|OF|NOWAIT]: B, C), (clause FOR modifiers=[SHARE|SKIP|LOCKED]: FOR SHARE SKIP LOCKED))`,
    ],
    [
      `select sum(a) over w, lag(b, 1) over (w rows between unbounded preceding and 1 following exclude ties) from c window w as (partition by d order by e)`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (call open=(: SUM, A, (clause OVER: OVER W))), (column: (call separators=[|,] open=(: LAG, B, (number: 1), (clause OVER: (clause FRAME: (opaque: (operation BETWEEN operatorItem=BETWEEN: ROWS, UNBOUNDED), (operation AND operatorItem=AND: PRECEDING, (number: 1)), FOLLOWING, EXCLUDE, TIES)))))), (clause FROM: (table: C)), (clause WINDOW: (opaque: (clause PARTITION: D), (clause ORDER: (sort-key: E)))))`,
    ],
    [
      `select a from b group by grouping sets ((a, b), (c), ()), cube (d, e)`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (table: B)), (clause GROUP: (sort-key: (call separators=[|,|,] open=(: SETS, (parentheses: A, B), (parentheses: C), (parentheses: ( )))), (sort-key: (call separators=[|,] open=(: CUBE, D, E))))`,
    ],
    [
      `select a from b group by distinct a having b > 1 order by c using <`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (table: B)), (clause GROUP: (opaque: A)), (clause HAVING: (operation > operatorItem=>: B, (number: 1))), (clause ORDER: (sort-key: C)))`,
    ],
    [
      `with recursive a (b, c) as materialized (select 1, 2 union all select b + 1, c from a), d as not materialized (select 3) select * from a, d`,
      `(query SELECT verbItem=SELECT isRecursive: (with-query name=A: (query SELECT verbItem=SELECT operators=[UNION ALL] isCombined: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 1)), (column: (number: 2)))), (query SELECT verbItem=SELECT: (clause SELECT: (column: (operation + operatorItem=+: B, (number: 1))), (column: C)), (clause FROM: (table: A))))), (with-query name=D: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 3))))), (clause SELECT: (column: *)), (clause FROM: (table: A), (table: D)))`,
    ],
    [
      `with a as (insert into b values (1) returning c) select * from a`,
      `(query SELECT verbItem=SELECT: (with-query name=A: (query INSERT verbItem=INSERT: (clause INTO: (table: B)), (clause VALUES: (parentheses: (number: 1))), (clause RETURNING: (column: C)))), (clause SELECT: (column: *)), (clause FROM: (table: A)))`,
    ],
    [
      `select cast(a as timestamp(3) with time zone), b::time without time zone, c::double precision, d::character varying(20), e::int[], f::"My Type"[][], g::s.t`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (cast isFunction: A, (type TIMESTAMP WITH TIME ZONE: (number: 3)))), (column: (cast: B, (type TIME WITHOUT TIME ZONE: TIME WITHOUT TIME ZONE))), (column: (cast: C, (type DOUBLE PRECISION: DOUBLE PRECISION))), (column: (cast: D, (type CHARACTER VARYING: (number: 20)))), (column: (cast: E, (type INT isArray: INT [ ]))), (column: (cast: F, (type "My Type" isArray: "My Type" [ ] [ ]))), (column: (cast: G, (type S.t: S . T)))))`,
    ],
    [
      `select interval '1' day, interval(3) '2 days', timestamp with time zone '2024-01-01', date :[PARAM(a)], bit varying '101'`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (typed: (type INTERVAL: INTERVAL), (string: '1'))), (column: (typed: (type INTERVAL: (number: 3)), (string: '2 days'))), (column: (typed: (type TIMESTAMP WITH TIME ZONE: TIMESTAMP WITH TIME ZONE), (string: '2024-01-01'))), (column: DATE), (opaque: (call open=(: PARAM, A)), (column: (typed: (type BIT VARYING: BIT VARYING), (string: '101')))))`,
    ],
    [
      `select a into temp table b from c`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause INTO modifiers=[TEMP|TABLE]: B), (clause FROM: (table: C)))`,
    ],
    [
      `select a intersect select b except all select c union distinct select d`,
      `(query SELECT verbItem=SELECT operators=[INTERSECT|EXCEPT ALL|UNION DISTINCT] isCombined: (query SELECT verbItem=SELECT: (clause SELECT: (column: A))), (query SELECT verbItem=SELECT: (clause SELECT: (column: B))), (query SELECT verbItem=SELECT: (clause SELECT: (column: C))), (query SELECT verbItem=SELECT: (clause SELECT: (column: D))))`,
    ],
    [
      `(select 1 union select 2) intersect select 3 order by 1 limit 2`,
      `(query SELECT verbItem=SELECT operators=[INTERSECT] isCombined: (query SELECT verbItem=SELECT operators=[UNION] isCombined: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 1)))), (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 2))))), (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 3)))), (clause ORDER: (sort-key: (number: 1))), (clause LIMIT: (number: 2)))`,
    ],
    [
      `merge into a as b using (select 1 as c) d on b.c = d.c when not matched by source and b.e then delete when not matched by target then insert values (d.c) when matched then do nothing returning b.*`,
      `(query MERGE verbItem=MERGE: (clause INTO: (table alias=B: A)), (clause USING: (derived alias=D: (subquery: (query SELECT verbItem=SELECT: (clause SELECT: (column alias=C: (number: 1))))))), (clause ON: (operation = operatorItem==: B . C, D . C)), (clause WHEN modifiers=[NOT|MATCHED|BY|SOURCE|DELETE]: B . E), (clause WHEN modifiers=[NOT|MATCHED|BY|TARGET|INSERT]: (clause VALUES: (parentheses: D . C))), (clause WHEN modifiers=[MATCHED|DO]: (opaque: NOTHING)), (clause RETURNING: (column: (star: B))))`,
    ],
    [
      `insert into a as b (c, d.e) overriding system value values (1, default), (2, 3) on conflict (c, lower(d)) where e do update set c = excluded.c, (d, e) = row(1, 2) where b.f returning c as g`,
      `(query INSERT verbItem=INSERT: (clause INTO: (table alias=B: A)), (clause VALUES: (parentheses: (number: 1), (word: DEFAULT)), (parentheses: (number: 2), (number: 3))), (clause CONFLICT: (parentheses: C, (call open=(: LOWER, D)), (clause WHERE: E, (opaque: UPDATE, SET, (operation = operatorItem==: C, EXCLUDED . C), (operation = operatorItem==: (parentheses: D, E), (call separators=[|,] open=(: ROW, (number: 1), (number: 2))))), (clause WHERE: B . F)), (clause RETURNING: (column alias=G: C)))`,
    ],
    [
      `insert into a default values on conflict on constraint k do nothing`,
      `(query INSERT verbItem=INSERT: (clause INTO: (table: A)), (clause VALUES modifiers=[DEFAULT]: DEFAULT VALUES), (clause CONFLICT: ON CONFLICT ON CONSTRAINT K DO NOTHING))`,
    ],
    [
      `update only a * as b set c[1] = 2, d.e = default where current of f`,
      `(query UPDATE verbItem=UPDATE: (clause UPDATE: (table alias=B: A)), (clause SET: (assignment: (access: C, (number: 1)), (number: 2)), (assignment: D . E, (word: DEFAULT))), (clause WHERE: CURRENT, (opaque: OF, F)))`,
    ],
    [
      `delete from a using b join c on b.d = c.d where a.e returning a.e, b.*`,
      `(query DELETE verbItem=DELETE: (clause DELETE: (table: A)), (clause USING: (join INNER: (table: B), (table: C), (clause ON: (operation = operatorItem==: B . D, C . D)))), (clause WHERE: A . E), (clause RETURNING: (column: A . E), (column: (star: B))))`,
    ],
    [
      `select position('a' in b), overlay(c placing 'd' from 2 for 3), substring(e similar 'f' escape '#'), trim(trailing from g), extract(epoch from h), normalize(i, nfc), xmlelement(name j, k)`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (call separators=[|IN] open=(: POSITION, (string: 'a'), B)), (column: (call separators=[|PLACING|FROM|FOR] open=(: OVERLAY, C, (string: 'd'), (number: 2), (number: 3))), (column: (call separators=[|SIMILAR|ESCAPE] open=(: SUBSTRING, E, (string: 'f'), (string: '#'))), (column: (call separators=[FROM] modifiers=[TRAILING] open=(: TRIM, G)), (column: (call separators=[|FROM] open=(: EXTRACT, EPOCH, H)), (column: (call separators=[|,] open=(: NORMALIZE, I, NFC)), (column: (call separators=[|,] open=(: XMLELEMENT, NAME, (opaque: J), K))))`,
    ],
    [
      `select f(variadic a), f(distinct b, c order by d desc nulls first, e), percentile_cont(0.5) within group (order by g) filter (where h > 0) over ()`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (call modifiers=[VARIADIC] open=(: F, A)), (column: (call separators=[|,] modifiers=[DISTINCT] open=(: F, B, C, (clause ORDER: (sort-key: D), (sort-key: E)))), (column: (call open=(: PERCENTILE_CONT, (number: 0.5), (clause WITHIN: (clause ORDER: (sort-key: G))), (clause FILTER: (clause WHERE: (operation > operatorItem=>: H, (number: 0)))), (clause OVER: OVER ( ))))))`,
    ],
    [
      `select a operator(pg_catalog.+) b, c !~* d, e @> f, g <-> h, @ i, |/ j, k ->> 'l' = 'm'`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation pg_catalog.+ operatorItem=OPERATOR: A, B)), (column: (operation !~* operatorItem=!: C, D)), (column: (operation @> operatorItem=@: E, F)), (column: (operation <-> operatorItem=<: G, H)), (column: (operation @ operatorItem=@ isPrefix: I)), (column: (operation |/ operatorItem=| isPrefix: J)), (column: (operation = operatorItem==: (operation ->> operatorItem=-: K, (string: 'l')), (string: 'm')))))`,
    ],
    [
      `select a is unknown, b is not document, c is null or d, not e is true, (f, g) = (1, 2), row(h, i) < (3, 4)`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation IS UNKNOWN operatorItem=IS: A)), (column: (operation IS NOT DOCUMENT operatorItem=IS: B)), (column: (operation OR operatorItem=OR: (operation IS NULL operatorItem=IS: C), D)), (column: (operation NOT operatorItem=NOT isPrefix: (operation IS TRUE operatorItem=IS: E))), (column: (operation = operatorItem==: (parentheses: F, G), (parentheses: (number: 1), (number: 2)))), (column: (operation < operatorItem=<: (call separators=[|,] open=(: ROW, H, I), (parentheses: (number: 3), (number: 4))))))`,
    ],
    [
      `select a = all (array[1, 2]), b <> some (select 1), c like any (d), e in (f), g not in (1)`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation = operatorItem==: A, (call open=(: ALL, (array: (number: 1), (number: 2))))), (column: (operation <> operatorItem=<: B, (call open=(: SOME, (subquery: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 1)))))))), (column: (operation LIKE operatorItem=LIKE: C, (call open=(: ANY, D))), (column: (operation IN operatorItem=IN: E, (parentheses: F))), (column: (operation NOT IN operatorItem=NOT: G, (parentheses: (number: 1))))))`,
    ],
    [
      `select a from b where c in (select 1) and (d or e) and exists (select 2) limit 1`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (table: B)), (clause WHERE: (operation AND operatorItem=AND: (operation IN operatorItem=IN: C, (subquery: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 1)))))), (parentheses: (operation OR operatorItem=OR: D, E)), (operation EXISTS operatorItem=EXISTS isPrefix: (subquery: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 2)))))))), (clause LIMIT: (number: 1)))`,
    ],
    [
      `select case when a then 1 end + 2, coalesce(b, 'c') || 'd', -e ^ 2, - - f, not not g`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation + operatorItem=+: (case: A, (number: 1)), (number: 2))), (column: (operation || operatorItem=|: (call separators=[|,] open=(: COALESCE, B, (string: 'c')), (string: 'd'))), (column: (operation ^ operatorItem=^: (operation - operatorItem=- isPrefix: E), (number: 2))), (column: (operation - operatorItem=- isPrefix: (operation - operatorItem=- isPrefix: F))), (column: (operation NOT operatorItem=NOT isPrefix: (operation NOT operatorItem=NOT isPrefix: G)))))`,
    ],
    [
      `select a::int::text, (b)::date, c.d.e.f, (g).*, "H"."i", j.*`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (cast: (cast: A, (type INT: INT)), (type TEXT: TEXT))), (column: (cast: (parentheses: B), (type DATE: DATE))), (column: C . D . E . F), (column: (star: (parentheses: G))), (column: "H" . "i"), (column: (star: J))))`,
    ],
    [
      `select a at local, b at time zone 'x' at time zone 'y', c collate "d"."e"`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation AT LOCAL operatorItem=AT: A)), (column: (operation AT TIME ZONE operatorItem=AT: (operation AT TIME ZONE operatorItem=AT: B, (string: 'x')), (string: 'y'))), (column: (operation COLLATE operatorItem=COLLATE: C, "d" . "e"))))`,
    ],
    [
      `values (1, 'a'), (2, 'b') union values (3, 'c') order by 1 offset 1`,
      `(query VALUES verbItem=VALUES operators=[UNION] isCombined: (query VALUES verbItem=VALUES: (clause VALUES: (parentheses: (number: 1), (string: 'a')), (parentheses: (number: 2), (string: 'b')))), (query VALUES verbItem=VALUES: (clause VALUES: (parentheses: (number: 3), (string: 'c')))), (clause ORDER: (sort-key: (number: 1))), (clause OFFSET: (number: 1)))`,
    ],
    [
      `table only a order by b`,
      `(query TABLE verbItem=TABLE: (clause FROM: (table: A)), (clause ORDER: (sort-key: B)))`,
    ],
    [
      `call p(a => 1, b := 2)`,
      `(query CALL verbItem=CALL: (clause : (opaque: (call separators=[|,] open=(: P, (operation => operatorItem==: A, (number: 1)), (operation := operatorItem=:=: B, (number: 2))))))`,
    ],
    [
      `lock table a in share mode nowait`,
      `(query LOCK verbItem=LOCK: (clause : (opaque: (operation IN operatorItem=IN: A, SHARE), MODE, NOWAIT)))`,
    ],
    [
      `copy a (b, c) from stdin`,
      `(query COPY verbItem=COPY: (clause : (opaque: (call separators=[|,] open=(: A, B, C), STDIN)))`,
    ],
    [
      `copy (select a from b) to stdout`,
      `(query COPY verbItem=COPY: (clause : (opaque: (call open=(: COPY, (subquery: (query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (table: B))))), STDOUT)))`,
    ],
    [
      `truncate a, only b restart identity cascade`,
      `(query TRUNCATE verbItem=TRUNCATE: (clause : (opaque: A, B, RESTART, IDENTITY, CASCADE)))`,
    ],
    [
      `select a from b left outer join c using (d) as e full join f on true cross join lateral g(1) h`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (join CROSS: (join FULL: (join LEFT: (table: B), (table: C), (clause USING: D)), (table: F), (clause ON: (word: TRUE))), (derived isLateral alias=H: (call open=(: G, (number: 1))))))`,
    ],
    [
      `select * from (a join b on c) d join (e cross join f) using (g, h)`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: *)), (clause FROM: (join INNER: (derived alias=D: (parentheses: (join INNER: (table: A), (table: B), (clause ON: C)))), (parentheses: (join CROSS: (table: E), (table: F))), (clause USING: G, H))))`,
    ],
    [
      `select ((a)), ((b, c)), (), ((select 1)), (((select 2)))`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (parentheses: (parentheses: A))), (column: (parentheses: (parentheses: B, C))), (column: (parentheses: ( ))), (column: (subquery: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 1)))))), (column: (subquery: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 2))))))))`,
    ],
    [
      `select a b, c "D", e as select, f as "g", h from i as j (k, l), m n (o)`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column alias=B: A), (column alias="D": C), (column alias=SELECT: E), (column alias="g": F), (column: H)), (clause FROM: (table alias=J: I), (table alias=N: M)))`,
    ],
  ])('%s', (sql, tree) => {
    const read = treeOf(sql, 'postgresql');
    expect(outlineOf(read)).toBe(tree);
    expectWhole(read);
  });
});

describe('MySQL and MariaDB', () => {
  test.each([
    [
      `select binary a, next value for s, previous value for t, match (a, b) against ('c' in boolean mode), match (a) against`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation BINARY operatorItem=BINARY isPrefix: A)), (column: (operation NEXT VALUE FOR operatorItem=NEXT isPrefix: S)), (column: (operation PREVIOUS VALUE FOR operatorItem=PREVIOUS isPrefix: T)), (column: (operation AGAINST operatorItem=AGAINST: (call separators=[|,] open=(: MATCH, A, B), (call open=(: AGAINST, (operation IN operatorItem=IN: (string: 'c'), BOOLEAN), (opaque: MODE)))), (column alias=AGAINST: (call open=(: MATCH, A))))`,
    ],
    [
      `select next value for 1, binary * 2`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation NEXT VALUE FOR operatorItem=NEXT isPrefix: NEXT VALUE FOR)), (opaque: (number: 1)), (column: (operation BINARY operatorItem=BINARY isPrefix: *)), (opaque: (number: 2))))`,
    ],
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
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation -> operatorItem=-: A, (string: '$.b'))), (column: (operation ->> operatorItem=-: C, (string: '$.d'))), (column: (call separators=[|,] open=(: JSON_VALUE, E, (string: '$.f'), (opaque: RETURNING INT))), (column: (operation COLLATE operatorItem=COLLATE: G, UTF8MB4_BIN))))`,
    ],
    [
      `select case a when 1 then b end, cast(c as unsigned), convert(d, char), convert(e using utf8mb4), interval 1 day + f`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (case: A, (number: 1), B)), (column: (cast isFunction: C, (type UNSIGNED: UNSIGNED))), (column: (cast isFunction: D, (type CHAR: CHAR))), (column: (call separators=[|USING] open=(: CONVERT, E, UTF8MB4)), (column: (operation + operatorItem=+: (typed: (number: 1), (type INTERVAL: DAY)), F))))`,
    ],
    [
      `select \`a b\`.c, "d", 'e' 'f', _utf8'g', @h, @@session.i, x'1f', 0x1f, date '2026-01-01'`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: \`a b\` . C), (column: (string: "d")), (column: (string: 'e' 'f')), (column: (typed: (type _UTF8: _UTF8), (string: 'g'))), (column: (variable: @ H)), (column: (variable: @ @ SESSION . I)), (column: (typed: (type X: X), (string: '1f'))), (column: (number: 0x1f)), (column: (typed: (type DATE: DATE), (string: '2026-01-01')))))`,
    ],
    [
      `select distinct sql_calc_found_rows a from b force index (c) straight_join d on b.e = d.e limit 5, 6`,
      `(query SELECT verbItem=SELECT: (clause SELECT modifiers=[DISTINCT|SQL_CALC_FOUND_ROWS]: (column: A)), (clause FROM: (join INNER: (table: B, (opaque: (parentheses: C))), (table: D), (clause ON: (operation = operatorItem==: B . E, D . E)))), (clause LIMIT: (number: 5), (number: 6)))`,
    ],
    [
      `select a from b limit 6 offset 5 for update`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (table: B)), (clause LIMIT: (number: 6)), (clause OFFSET: (number: 5)), (clause FOR modifiers=[UPDATE]: FOR UPDATE))`,
    ],
    [
      `select group_concat(distinct a order by b separator ', '), count(distinct c, d) from e group by f with rollup`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (call modifiers=[DISTINCT] open=(: GROUP_CONCAT, A, (clause ORDER: (sort-key: B)), (clause SEPARATOR: (string: ', ')))), (column: (call separators=[|,] modifiers=[DISTINCT] open=(: COUNT, C, D))), (clause FROM: (table: E)), (clause GROUP modifiers=[ROLLUP]: (sort-key: F)))`,
    ],
    [
      `insert ignore into a set b = 1, c = default on duplicate key update c = values(c) + 1`,
      `(query INSERT verbItem=INSERT: (clause INTO modifiers=[IGNORE]: (table: A)), (clause SET: (assignment: B, (number: 1)), (assignment: C, (word: DEFAULT))), (clause DUPLICATE: (assignment: C, (operation + operatorItem=+: (call open=(: VALUES, C), (number: 1)))))`,
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
      `(query UPDATE verbItem=UPDATE: (clause UPDATE modifiers=[LOW_PRIORITY|IGNORE]: (table: A)), (clause SET: (assignment: B, (operation + operatorItem=+: B, (number: 1)))))`,
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
      `(query SELECT verbItem=SELECT operators=[UNION|UNION ALL] isCombined: (with-query name=A: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 1))))), (query SELECT verbItem=SELECT: (clause SELECT: (column: *)), (clause FROM: (table: A))), (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 2)))), (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 3))), (clause LIMIT: (number: 1))))`,
    ],
    [
      `call a(1, b)`,
      `(query CALL verbItem=CALL: (clause : (opaque: (call separators=[|,] open=(: A, (number: 1), B))))`,
    ],
    [
      `select next value for a, previous value for b.c, nextval(d)`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation NEXT VALUE FOR operatorItem=NEXT isPrefix: A)), (column: (operation PREVIOUS VALUE FOR operatorItem=PREVIOUS isPrefix: B . C)), (column: (call open=(: NEXTVAL, D))))`,
    ],
    [
      `select * from (a, b) join c using (d, e), lateral (select 1) f, json_table(g, '$' columns (h int path '$')) i`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: *)), (clause FROM: (join INNER: (parentheses: (table: A), (table: B)), (table: C), (clause USING: D, E)), (derived isLateral alias=F: (subquery: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 1)))))), (derived alias=I: (call separators=[|,] open=(: JSON_TABLE, G, (string: '$'), (opaque: (call open=(: COLUMNS, H, (opaque: PATH, (string: '$'))))))))`,
    ],
    [
      `select a from b join`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (opaque: (table: B))))`,
    ],
    [
      `set statement max_statement_time = 1 for select a from b`,
      `(query SELECT verbItem=SELECT isCombined: (clause : (opaque: (operation = operatorItem==: MAX_STATEMENT_TIME, (number: 1)))), (query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (table: B))))`,
    ],
    [
      `prepare p from 'select 1'`,
      `(query PREPARE verbItem=PREPARE: (clause : (opaque: P, (string: 'select 1'))))`,
    ],
    [`create table c select a from b`, `(query CREATE verbItem=CREATE: (clause : (opaque: C, A, B)))`],
    [
      `create or replace view c as select 1`,
      `(query CREATE verbItem=CREATE: (clause : (opaque: VIEW, C)), (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 1)))))`,
    ],
    [
      `explain format = json select a from b`,
      `(query EXPLAIN verbItem=EXPLAIN: (clause : (opaque: (operation = operatorItem==: FORMAT, JSON))), (query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (table: B))))`,
    ],
    [
      `describe select a from b`,
      `(query DESCRIBE verbItem=DESCRIBE: (clause : DESCRIBE), (query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (table: B))))`,
    ],
    [
      `select high_priority sql_no_cache a into outfile 'x' fields terminated by ',' from b`,
      `(query SELECT verbItem=SELECT: (clause SELECT modifiers=[HIGH_PRIORITY|SQL_NO_CACHE]: (column: A)), (clause INTO modifiers=[OUTFILE]: (string: 'x'), (opaque: FIELDS, TERMINATED, (string: ','))), (clause FROM: (table: B)))`,
    ],
    [
      `select a into @x, @y from b`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause INTO: (variable: @ X), (variable: @ Y)), (clause FROM: (table: B)))`,
    ],
    [
      `select a from b limit 3, ? `,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (table: B)), (clause LIMIT: (number: 3)))`,
    ],
    [
      `select a from b limit 5 rows examined 100`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (table: B)), (clause LIMIT modifiers=[ROWS|EXAMINED]: (number: 5), (opaque: (number: 100))))`,
    ],
    [
      `select a from b order by c desc limit 1 lock in share mode`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (table: B)), (clause ORDER: (sort-key: C)), (clause LIMIT: (number: 1)), (clause LOCK modifiers=[IN|SHARE|MODE]: LOCK IN SHARE MODE))`,
    ],
    [
      `select a from b for update of c wait 5`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (table: B)), (clause FOR modifiers=[UPDATE|OF|WAIT]: C), (clause : (opaque: (number: 5))))`,
    ],
    [
      `select a from b for share nowait`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (table: B)), (clause FOR modifiers=[SHARE|NOWAIT]: FOR SHARE NOWAIT))`,
    ],
    [
      `select straight_join a from b straight_join c on d natural right join e cross join f`,
      `(query SELECT verbItem=SELECT: (clause SELECT modifiers=[STRAIGHT_JOIN]: (column: A)), (clause FROM: (join CROSS: (join RIGHT isNatural: (join INNER: (table: B), (table: C), (clause ON: D)), (table: E)), (table: F))))`,
    ],
    [
      `select a from b left join (c, d) on e = f inner join g using (h)`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (join INNER: (join LEFT: (table: B), (parentheses: (table: C), (table: D)), (clause ON: (operation = operatorItem==: E, F))), (table: G), (clause USING: H))))`,
    ],
    [
      `insert delayed into a values (1, default), row(2, 3)`,
      `(query INSERT verbItem=INSERT: (clause INTO modifiers=[DELAYED]: (table: A)), (clause VALUES: (parentheses: (number: 1), (word: DEFAULT)), (call separators=[|,] open=(: ROW, (number: 2), (number: 3))))`,
    ],
    [
      `insert into a value (1)`,
      `(query INSERT verbItem=INSERT: (clause INTO: (table: A)), (clause VALUES: (parentheses: (number: 1))))`,
    ],
    [
      `insert into a (b) select c from d on duplicate key update b = values(b), e = 1`,
      `(query INSERT verbItem=INSERT: (clause INTO: (table: A)), (clause COLUMNS: B), (query SELECT verbItem=SELECT: (clause SELECT: (column: C)), (clause FROM: (table: D))), (clause DUPLICATE: (assignment: B, (call open=(: VALUES, B)), (assignment: E, (number: 1))))`,
    ],
    [
      `insert into a (b) values (1) as n (m) on duplicate key update b = m`,
      `(query INSERT verbItem=INSERT: (clause INTO: (table: A)), (clause COLUMNS: B), (clause VALUES: (parentheses: (number: 1))), (clause : (opaque: (call open=(: N, M))), (clause DUPLICATE: (assignment: B, M)))`,
    ],
    [
      `insert into a partition (p) (b) values (1) returning c, d as e`,
      `(query INSERT verbItem=INSERT: (clause INTO: (table: A, (opaque: (parentheses: P)))), (clause COLUMNS: B), (clause VALUES: (parentheses: (number: 1))), (clause RETURNING: (column: C), (column alias=E: D)))`,
    ],
    [
      `replace low_priority into a set b = 1, c = d`,
      `(query REPLACE verbItem=REPLACE: (clause INTO modifiers=[LOW_PRIORITY]: (table: A)), (clause SET: (assignment: B, (number: 1)), (assignment: C, D)))`,
    ],
    [
      `update a join b on c = d set e = f, a.g = default where h limit 2`,
      `(query UPDATE verbItem=UPDATE: (clause UPDATE: (join INNER: (table: A), (table: B), (clause ON: (operation = operatorItem==: C, D)))), (clause SET: (assignment: E, F), (assignment: A . G, (word: DEFAULT))), (clause WHERE: H), (clause LIMIT: (number: 2)))`,
    ],
    [
      `delete quick from a, b using a join c where d`,
      `(query DELETE verbItem=DELETE: (clause DELETE modifiers=[QUICK]: (table: A), (table: B)), (clause USING: (join INNER: (table: A), (table: C))), (clause WHERE: D))`,
    ],
    [
      `delete low_priority ignore a.*, b from a, b`,
      `(query DELETE verbItem=DELETE: (clause DELETE modifiers=[LOW_PRIORITY|IGNORE]: (table: A), (opaque: *), (table: B)), (clause FROM: (table: A), (table: B)))`,
    ],
    [
      `select a regexp b and c not regexp d, e sounds like f, g is unknown, not h is null, ! i`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation AND operatorItem=AND: (operation REGEXP operatorItem=REGEXP: A, B), (operation NOT REGEXP operatorItem=NOT: C, D))), (column: (operation SOUNDS LIKE operatorItem=SOUNDS: E, F)), (column: (operation IS UNKNOWN operatorItem=IS: G)), (column: (operation NOT operatorItem=NOT isPrefix: (operation IS NULL operatorItem=IS: H))), (column: (operation ! operatorItem=! isPrefix: I))))`,
    ],
    [
      `select a div b mod c, d mod e, f % g, h xor i, j || k, l && m, ~n, -o, binary p, +q`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation MOD operatorItem=MOD: (operation DIV operatorItem=DIV: A, B), C)), (column: (operation MOD operatorItem=MOD: D, E)), (column: (operation % operatorItem=%: F, G)), (column: (operation XOR operatorItem=XOR: H, I)), (column: (operation || operatorItem=|: J, K)), (column: (operation && operatorItem=&: L, M)), (column: (operation ~ operatorItem=~ isPrefix: N)), (column: (operation - operatorItem=- isPrefix: O)), (column: (operation BINARY operatorItem=BINARY isPrefix: P)), (column: (operation + operatorItem=+ isPrefix: Q))))`,
    ],
    [
      `select 1a, 2b.c, \`d\`\`e\`, @f, @'g', @@global.h, @@i, x'1f', 0b01, b'1', n'j', _latin1'k' collate l`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: 1 A), (column: (access: 2 B)), (column: \`d\`\`e\`), (column: (variable: @ F)), (column: (variable: @ 'g')), (column: (variable: @ @ GLOBAL . H)), (column: (variable: @ @ I)), (column: (typed: (type X: X), (string: '1f'))), (column: (number: 0b01)), (column: (typed: (type B: B), (string: '1'))), (column: (typed: (type N: N), (string: 'j'))), (column: (operation COLLATE operatorItem=COLLATE: (typed: (type _LATIN1: _LATIN1), (string: 'k')), L))))`,
    ],
    [
      `select convert(a, decimal(10, 2)), cast(b as char character set utf8mb4), cast(c as signed integer), cast(d as datetime(3)), convert(e using latin1)`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (cast isFunction: A, (type DECIMAL: (number: 10), (number: 2)))), (column: (cast isFunction: B, (type CHAR: CHAR CHARACTER SET UTF8MB4))), (column: (cast isFunction: C, (type SIGNED INTEGER: SIGNED INTEGER))), (column: (cast isFunction: D, (type DATETIME: (number: 3)))), (column: (call separators=[|USING] open=(: CONVERT, E, LATIN1))))`,
    ],
    [
      `select date_add(a, interval 1 day), b - interval '1:2' minute_second, interval 3 month + c, extract(day_hour from d), timestampdiff(second, e, f)`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (call separators=[|,] open=(: DATE_ADD, A, (typed: (number: 1), (type INTERVAL: DAY)))), (column: (operation - operatorItem=-: B, (typed: (string: '1:2'), (type INTERVAL: MINUTE_SECOND)))), (column: (operation + operatorItem=+: (typed: (number: 3), (type INTERVAL: MONTH)), C)), (column: (call separators=[|FROM] open=(: EXTRACT, DAY_HOUR, D)), (column: (call separators=[|,|,] open=(: TIMESTAMPDIFF, SECOND, E, F))))`,
    ],
    [
      `select group_concat(distinct a, b order by c desc separator '; ' limit 3), count(distinct d, e), json_arrayagg(f order by g)`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (call separators=[|,] modifiers=[DISTINCT] open=(: GROUP_CONCAT, A, B, (clause ORDER: (sort-key: C)), (clause SEPARATOR: (string: '; ')), (opaque: (number: 3)))), (column: (call separators=[|,] modifiers=[DISTINCT] open=(: COUNT, D, E)), (column: (call open=(: JSON_ARRAYAGG, F, (clause ORDER: (sort-key: G))))))`,
    ],
    [
      `select trim(leading 'a' from b), substring(c from 2 for 3), position('d' in e), weight_string(f as char(3)), get_format(date, 'usa')`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (call separators=[|FROM] modifiers=[LEADING] open=(: TRIM, (string: 'a'), B)), (column: (call separators=[|FROM|FOR] open=(: SUBSTRING, C, (number: 2), (number: 3))), (column: (call separators=[|IN] open=(: POSITION, (string: 'd'), E)), (column: (call open=(: WEIGHT_STRING, F, (opaque: (call open=(: CHAR, (number: 3))))), (column: (call separators=[|,] open=(: GET_FORMAT, DATE, (string: 'usa')))))`,
    ],
    [
      `select sum(a) over (partition by b order by c range between interval 1 day preceding and current row), rank() over w from d window w as (order by e)`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (call open=(: SUM, A, (clause OVER: (clause PARTITION: B), (clause ORDER: (sort-key: C)), (clause FRAME: (opaque: (typed: (number: 1), (type INTERVAL: DAY)), (operation AND operatorItem=AND: PRECEDING, CURRENT), ROW))))), (column: (call open=(: RANK, (clause OVER: OVER W)))), (clause FROM: (table: D)), (clause WINDOW: (opaque: (clause ORDER: (sort-key: E)))))`,
    ],
    [
      `select a from b group by c desc, d with rollup having e order by f`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (table: B)), (clause GROUP modifiers=[ROLLUP]: (sort-key: C), (sort-key: D)), (clause HAVING: E), (clause ORDER: (sort-key: F)))`,
    ],
    [
      `select case a when b then c else d end, if(e, f, g), ifnull(h, i) as \`j k\`, l 'm'`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (case: A, B, C, D)), (column: (call separators=[|,|,] open=(: IF, E, F, G)), (column alias=\`j k\`: (call separators=[|,] open=(: IFNULL, H, I)), (column alias='m': L)))`,
    ],
    [
      `with recursive a as (select 1 union all select 2 from a) cycle b restrict select * from a`,
      `(query SELECT verbItem=SELECT isRecursive: (with-query name=A: (query SELECT verbItem=SELECT operators=[UNION ALL] isCombined: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 1)))), (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 2))), (clause FROM: (table: A)))), (opaque: CYCLE, B, RESTRICT)), (clause SELECT: (column: *)), (clause FROM: (table: A)))`,
    ],
    [
      `with a as (select 1) update b, a set c = d`,
      `(query UPDATE verbItem=UPDATE: (with-query name=A: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 1))))), (clause UPDATE: (table: B), (table: A)), (clause SET: (assignment: C, D)))`,
    ],
    [
      `with a as (select 1) delete from b using b, a where c`,
      `(query DELETE verbItem=DELETE: (with-query name=A: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 1))))), (clause DELETE: (table: B)), (clause USING: (table: B), (table: A)), (clause WHERE: C))`,
    ],
    [
      `values (1, 2), (3, 4)`,
      `(query VALUES verbItem=VALUES: (clause VALUES: (parentheses: (number: 1), (number: 2)), (parentheses: (number: 3), (number: 4))))`,
    ],
    [
      `values row(1, 2), row(3, 4) order by 1 limit 1`,
      `(query VALUES verbItem=VALUES: (clause VALUES: (call separators=[|,] open=(: ROW, (number: 1), (number: 2)), (call separators=[|,] open=(: ROW, (number: 3), (number: 4))), (clause ORDER: (sort-key: (number: 1))), (clause LIMIT: (number: 1)))`,
    ],
    [
      `(select a) union all (select b limit 1) except select c order by 1`,
      `(query SELECT verbItem=SELECT operators=[UNION ALL|EXCEPT] isCombined: (query SELECT verbItem=SELECT: (clause SELECT: (column: A))), (query SELECT verbItem=SELECT: (clause SELECT: (column: B)), (clause LIMIT: (number: 1))), (query SELECT verbItem=SELECT: (clause SELECT: (column: C))), (clause ORDER: (sort-key: (number: 1))))`,
    ],
    [
      `select * from json_table(a, '$[*]' columns (b for ordinality, c int path '$.d' default '0' on empty, nested path '$.e' columns (f int path '$.g'))) h`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: *)), (clause FROM: (derived alias=H: (call separators=[|,] open=(: JSON_TABLE, A, (string: '$[*]'), (opaque: (call separators=[|FOR|,|,] open=(: COLUMNS, B, ORDINALITY, C, (opaque: PATH, (string: '$.d'), (word: DEFAULT), (string: '0'), EMPTY), NESTED, (opaque: PATH, (string: '$.e'), (call open=(: COLUMNS, F, (opaque: PATH, (string: '$.g'))))))))))`,
    ],
    [
      `table a order by b limit 1`,
      `(query TABLE verbItem=TABLE: (clause FROM: (table: A)), (clause ORDER: (sort-key: B)), (clause LIMIT: (number: 1)))`,
    ],
    [
      `call p(@a, 1)`,
      `(query CALL verbItem=CALL: (clause : (opaque: (call separators=[|,] open=(: P, (variable: @ A), (number: 1)))))`,
    ],
    [
      `do sleep(1), @a := 2`,
      `(query DO verbItem=DO: (clause : (opaque: (call open=(: SLEEP, (number: 1)), (operation := operatorItem=:=: (variable: @ A), (number: 2)))))`,
    ],
    [`handler a open as b`, `(query HANDLER verbItem=HANDLER: (clause : (opaque: A, OPEN, B)))`],
    [
      `load data infile 'a' into table b`,
      `(query LOAD verbItem=LOAD: (clause : (opaque: DATA, (string: 'a'), B)))`,
    ],
    [
      `select a := 1, @b := @b + 1, c = 2`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation := operatorItem=:=: A, (number: 1))), (column: (operation := operatorItem=:=: (variable: @ B), (operation + operatorItem=+: (variable: @ B), (number: 1)))), (column: (operation = operatorItem==: C, (number: 2)))))`,
    ],
    [
      `select a /*! straight_join */ from b /*+ hint */ -- c`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: A)), (clause FROM: (table: B)))`,
    ],
    [
      `select a in (1, 2) and b not in (select c), (d, e) in ((1, 2)), f between 1 and 2 or g not between 3 and 4`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation AND operatorItem=AND: (operation IN operatorItem=IN: A, (parentheses: (number: 1), (number: 2))), (operation NOT IN operatorItem=NOT: B, (subquery: (query SELECT verbItem=SELECT: (clause SELECT: (column: C))))))), (column: (operation IN operatorItem=IN: (parentheses: D, E), (parentheses: (parentheses: (number: 1), (number: 2))))), (column: (operation OR operatorItem=OR: (operation BETWEEN operatorItem=BETWEEN: F, (number: 1), (number: 2)), (operation NOT BETWEEN operatorItem=NOT: G, (number: 3), (number: 4))))))`,
    ],
    [
      `select a like b escape '|', not a like b, exists (select 1) and not exists (select 2), a = any (select 3), b > all (select 4)`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation LIKE operatorItem=LIKE: A, B, (string: '|'))), (column: (operation NOT operatorItem=NOT isPrefix: (operation LIKE operatorItem=LIKE: A, B))), (column: (operation AND operatorItem=AND: (operation EXISTS operatorItem=EXISTS isPrefix: (subquery: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 1)))))), (operation NOT operatorItem=NOT isPrefix: (operation EXISTS operatorItem=EXISTS isPrefix: (subquery: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 2))))))))), (column: (operation = operatorItem==: A, (call open=(: ANY, (subquery: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 3)))))))), (column: (operation > operatorItem=>: B, (call open=(: ALL, (subquery: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 4))))))))))`,
    ],
    [
      `select (select 1) + 2, ((a)), ((b, c)), row(d, e) = (1, 2), (((select 3)))`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: (operation + operatorItem=+: (subquery: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 1))))), (number: 2))), (column: (parentheses: (parentheses: A))), (column: (parentheses: (parentheses: B, C))), (column: (operation = operatorItem==: (call separators=[|,] open=(: ROW, D, E), (parentheses: (number: 1), (number: 2)))), (column: (subquery: (query SELECT verbItem=SELECT: (clause SELECT: (column: (number: 3))))))))`,
    ],
    [
      `update a set b =`,
      `(query UPDATE verbItem=UPDATE: (clause UPDATE: (table: A)), (clause SET: (assignment: B)))`,
    ],
    [`select binary`, `(query SELECT verbItem=SELECT: (clause SELECT: SELECT BINARY))`],
    [
      `select id, match (a, b) against ('c' in boolean mode) as d from e where match (a) against (f)`,
      `(query SELECT verbItem=SELECT: (clause SELECT: (column: ID), (column alias=D: (operation AGAINST operatorItem=AGAINST: (call separators=[|,] open=(: MATCH, A, B), (call open=(: AGAINST, (operation IN operatorItem=IN: (string: 'c'), BOOLEAN), (opaque: MODE))))), (clause FROM: (table: E)), (clause WHERE: (operation AGAINST operatorItem=AGAINST: (call open=(: MATCH, A), (call open=(: AGAINST, F))))`,
    ],
  ])('%s', (sql, tree) => {
    const read = treeOf(sql, 'mysql');
    expect(outlineOf(read)).toBe(tree);
    expectWhole(read);
  });
});
