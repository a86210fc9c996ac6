/** Promises specific to a read replica, in addition to those of any database that can be tested without changes. */
import type { Json } from '../../../runtime/handler/json.js';
import { Differs, type ReplicaProbe } from './probe.js';
import type { Session } from './session.js';

export const replicaProbes: readonly ReplicaProbe[] = [
  {
    promise: 'It is read-only',
    otherwise: 'nothing but your own care keeps it equal to the primary',
    need: 'optional',
    run: async ({ dialect, ...bench }) => {
      const [row] = await (await bench.open()).read(`SELECT ${isReadOnly[dialect]} AS found`);
      if (row?.found !== true && row?.found !== 1) throw new Differs('the server accepts changes');
    },
  },
  {
    promise: 'Its sessions refuse changes',
    otherwise: 'a change that is hidden in a function of a READ is not detected',
    need: 'required',
    run: async ({ driver, table, ...bench }) => {
      const session = await bench.open();
      const error = await session.change(`INSERT INTO ${table} (id) VALUES (1)`).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (error === undefined) throw new Differs('an INSERT succeeds');
      if (!driver.isWrite(error))
        throw new Differs('an INSERT fails with an error that services do not recognise');
    },
  },
  {
    promise: 'Changes on the primary arrive',
    otherwise: 'READs on the replica never find them',
    need: 'required',
    run: async ({ table, primary, ...bench }) => {
      const session = await bench.open();
      await primary.change(`INSERT INTO ${table} (id) VALUES (77)`);
      const since = performance.now();
      const isThere = async (): Promise<boolean> =>
        (await session.read(`SELECT id FROM ${table} WHERE id = 77`).catch(() => [])).length === 1;
      while (!(await isThere())) {
        if (performance.now() - since > arrival) throw new Differs(`not within ${arrival / 1000} seconds`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      bench.note(`within ${Math.ceil(performance.now() - since)} ms`);
    },
  },
  {
    promise: 'It has the tables of the primary, with the same columns',
    otherwise: 'READs of other tables always run on the primary, or return other values',
    need: 'required',
    run: async ({ dialect, primary, ...bench }) => {
      const here = await columnsOf(await bench.open(), dialect);
      const differences = [...(await columnsOf(primary, dialect))].filter(
        ([column, type]) => here.get(column) !== type,
      );
      const [first] = differences;
      if (first === undefined) return;
      const [column, type] = first;
      const others = differences.length === 1 ? '' : `, and ${differences.length - 1} more differ`;
      throw new Differs(`${column} is ${here.get(column) ?? 'missing'} instead of ${type}${others}`);
    },
  },
];

/** Milliseconds that a change may take to arrive. */
const arrival = 10_000;

const isReadOnly = {
  postgresql: 'pg_is_in_recovery()',
  mysql: '(@@GLOBAL.read_only OR @@GLOBAL.innodb_read_only)',
} as const;

/** Types of all columns that the user can see, by names such as `public.entry.amount`. */
async function columnsOf(
  session: Session,
  dialect: keyof typeof isReadOnly,
): Promise<ReadonlyMap<string, string>> {
  const rows = await session.read(
    `SELECT table_schema AS s, table_name AS t, column_name AS c, ${dialect === 'mysql' ? 'column_type' : 'udt_name'} AS type
     FROM information_schema.columns
     WHERE table_schema NOT IN ('information_schema', 'pg_catalog', 'mysql', 'sys', 'performance_schema')`,
  );
  const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
  return new Map(rows.map(({ s, t, c, type }) => [[s, t, c].map(text).join('.'), text(type)]));
}
