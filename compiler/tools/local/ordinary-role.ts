/** The role with which services use an embedded database with policies, which do not apply to superusers and owners. */
import type { PostgresSession } from './postgres-rows.js';

const role = 'apikiln_service';

const hasPolicies = 'SELECT 1 FROM pg_class WHERE relrowsecurity LIMIT 1';

/** The role whose rights all other roles inherit, because a schema's GRANTs to roles of other servers are not executed. */
const rights = 'apikiln_rights';

/** The role that sees the rows of all callers, as tests do. */
const ownerRole = 'apikiln_rows';

/**
 * Creates the role: it has the usual rights of a service, tests can read tables that it creates (such as an outbox), and it can switch to
 * every role that the schema creates, as with `set_config('role', …)`.
 */
const makeRole = `
  DO $apikiln$
  DECLARE one name;
  BEGIN
    CREATE ROLE ${rights};
    FOR one IN SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema' LOOP
      EXECUTE format('GRANT ALL ON SCHEMA %I TO ${rights}', one);
      EXECUTE format('GRANT ALL ON ALL TABLES IN SCHEMA %I TO ${rights}', one);
      EXECUTE format('GRANT ALL ON ALL SEQUENCES IN SCHEMA %I TO ${rights}', one);
      EXECUTE format('GRANT EXECUTE ON ALL ROUTINES IN SCHEMA %I TO ${rights}', one);
    END LOOP;
    CREATE ROLE ${role} IN ROLE ${rights};
    CREATE ROLE ${ownerRole} BYPASSRLS IN ROLE ${rights};
    GRANT ${ownerRole} TO ${role};
    ALTER DEFAULT PRIVILEGES FOR ROLE ${role} GRANT ALL ON TABLES TO ${ownerRole};
    FOR one IN SELECT rolname FROM pg_roles
               WHERE rolname NOT LIKE 'pg\\_%' AND rolname NOT IN ('${role}', '${rights}') AND NOT rolsuper AND NOT rolbypassrls LOOP
      EXECUTE format('GRANT ${rights} TO %I', one);
      EXECUTE format('GRANT %I TO ${role}', one);
    END LOOP;
  END
  $apikiln$`;

/**
 * If the tables have policies, returns a session that runs statements as the owner. Between them, the database's single session belongs to
 * the ordinary role, which all connections share and which may switch to the role that sees all rows. Without policies, returns the session
 * itself.
 */
export async function ownerBeside(
  session: PostgresSession,
): Promise<{ readonly session: PostgresSession; readonly ownerRole?: string }> {
  if ((await session.rows(hasPolicies)).length === 0) return { session };
  await session.run(makeRole);
  await session.run(`SET SESSION AUTHORIZATION ${role}`);
  const asOwner = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    // RESET would return to the role that the embedded server saw last.
    await session.run('SET SESSION AUTHORIZATION postgres');
    try {
      return await work();
    } finally {
      await session.run(`SET SESSION AUTHORIZATION ${role}`);
    }
  };
  const owner: PostgresSession = {
    run: (sql) => asOwner(() => session.run(sql)),
    rows: (sql) => asOwner(() => session.rows(sql)),
  };
  return { session: owner, ownerRole };
}
