/**
 * PGlite for tests: a closed instance is reused for the next one if it is in its initial state, as shown by all catalogs. Starting an
 * instance takes half a second of processor time, and a run opens hundreds.
 */
import {
  PGlite as RealPGlite,
  type PGliteOptions,
} from '../../node_modules/@electric-sql/pglite/dist/index.js';
import { wasEnded } from '../../compiler/analyze/database/embedded/time-limit.js';

export * from '../../node_modules/@electric-sql/pglite/dist/index.js';

/** An unused instance and its initial state. */
interface Kept {
  readonly database: RealPGlite;
  readonly first: string;
}

let kept: Kept | undefined;

/** Makes the next instance a new one, for tests of the start itself. */
export async function forgetKept(): Promise<void> {
  const found = kept;
  kept = undefined;
  await found?.database.close();
}

export class PGlite extends RealPGlite {
  static override async create(...args: unknown[]): Promise<never> {
    const [options] = args as [PGliteOptions | undefined];
    const isPlain = options?.loadDataDir !== undefined && Object.keys(options.extensions ?? {}).length === 0;
    if (!isPlain)
      return (await (RealPGlite.create as (...all: unknown[]) => Promise<unknown>)(...args)) as never;
    const found = kept;
    kept = undefined;
    const database = found?.database ?? (await RealPGlite.create(options));
    const first = found?.first ?? (await stateOf(database));
    return new Proxy(
      database,
      closedBy((hasTraces) => keep({ database, first }, hasTraces)),
    ) as never;
  }
}

/** Methods run on the object itself, because a proxy does not have its private fields. */
function closedBy(close: (hasTraces: boolean) => Promise<void>): ProxyHandler<RealPGlite> {
  let isClosed = false;
  let hasTraces = false;
  return {
    get(target, name, proxy: RealPGlite) {
      if (isClosed) throw new Error('PGlite is closed');
      if (name === 'close')
        return () => {
          isClosed = true;
          return close(hasTraces || wasEnded(proxy));
        };
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        hasTraces ||= leavesTraces(args[0]);
        return (value as (...all: unknown[]) => unknown).apply(target, args);
      };
    },
  };
}

/**
 * Whether the effects of a statement cannot be undone, such as a custom setting, which never becomes unset again. Statements may also be
 * bytes from a client of the server in front of PGlite.
 */
function leavesTraces(given: unknown): boolean {
  const text = given instanceof Uint8Array ? Buffer.from(given).toString('latin1') : given;
  if (typeof text !== 'string') return false;
  return /\bset_config\s*\(\s*(?!'\w+'\s*,)|\bsetseed\b|\bSET\s+(?:LOCAL\s+|SESSION\s+)?"?\w+"?\./i.test(
    text,
  );
}

/** Whether Vitest ends the process. A kept instance has timers, with which a program such as `dist/tested/compiler/cli.js` would never end. */
const isEnded = '__vitest_worker__' in globalThis;

async function keep({ database, first }: Kept, hasTraces: boolean): Promise<void> {
  const isFirst =
    isEnded &&
    !hasTraces &&
    (await reset(database).then(
      async () => (await stateOf(database)) === first,
      () => false,
    ));
  if (isFirst && kept === undefined) kept = { database, first };
  else await database.close();
}

/** Drops objects that schemas usually create. If anything else exists, the database is not reused. */
async function reset(database: RealPGlite): Promise<void> {
  await database.exec('ROLLBACK');
  await database.exec('SET SESSION AUTHORIZATION postgres');
  await database.exec('DISCARD ALL');
  await database.exec(`
    DO $reset$
    DECLARE one name;
    BEGIN
      FOR one IN SELECT nspname FROM pg_namespace WHERE nspname = 'public' OR oid >= 16384 AND nspname NOT LIKE 'pg\\_%' LOOP
        EXECUTE format('DROP SCHEMA %I CASCADE', one);
      END LOOP;
      FOR one IN SELECT rolname FROM pg_authid WHERE oid >= 16384 LOOP
        EXECUTE format('DROP OWNED BY %I CASCADE', one);
      END LOOP;
      FOR one IN SELECT rolname FROM pg_authid WHERE oid >= 16384 LOOP
        EXECUTE format('DROP ROLE %I', one);
      END LOOP;
      CREATE SCHEMA public AUTHORIZATION pg_database_owner;
      GRANT USAGE ON SCHEMA public TO PUBLIC;
    END
    $reset$`);
}

/** Catalogs about the schema `public`, which is created again; its state is compared separately. */
const ofSchemas = ['pg_namespace', 'pg_depend', 'pg_shdepend', 'pg_description', 'pg_init_privs'];

let question: string | undefined;

/** A state to compare: number of rows and newest transaction of each catalog, the schemas, and the settings. */
async function stateOf(database: RealPGlite): Promise<string> {
  if (question === undefined) {
    const { rows } = await database.query<[string]>(
      "SELECT relname FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind = 'r' ORDER BY 1",
      [],
      { rowMode: 'array' },
    );
    const catalogs = rows.map(([name]) => name).filter((name) => !ofSchemas.includes(name));
    question = [
      ...catalogs.map(
        (name) =>
          `SELECT '${name}' AS what, count(*) || ' ' || max(xmin::text::bigint) AS state FROM ${name}`,
      ),
      `SELECT nspname, nspowner::regrole || coalesce(nspacl::text, '') FROM pg_namespace`,
      `SELECT name, setting FROM pg_settings WHERE source <> 'default'`,
      `SELECT session_user, current_user::text`,
    ].join('\nUNION ALL ');
  }
  const { rows } = await database.query<[string, string]>(question, [], { rowMode: 'array' });
  return rows
    .map((row) => row.join(' '))
    .sort()
    .join('\n');
}
