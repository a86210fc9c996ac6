/** Session state kept by database servers, according to the documentation of servers and connection poolers, and ways to detect it. */

export interface SessionState {
  readonly name: string;
  /** Statements that leave the state. */
  readonly leave: readonly string[];
  /** A query whose result differs if the session has the state. */
  readonly look: string;
}

/**
 * PostgreSQL: SET, SET ROLE, SET SESSION AUTHORIZATION, DISCARD, PREPARE, DECLARE, LISTEN, LOAD, functions for locks and sequences; the
 * feature map and `server_reset_query` of PgBouncer; HikariCP's dirty bits (read only, isolation, schema). In addition, all settings are
 * read from the server.
 */
export const postgresStates: readonly SessionState[] = [
  { name: 'role', leave: ['SET ROLE pg_monitor'], look: 'SELECT current_user' },
  {
    name: 'session authorization',
    leave: ['SET SESSION AUTHORIZATION state_other'],
    look: 'SELECT session_user, current_user',
  },
  {
    name: 'search_path',
    leave: ['SET search_path = state_schema'],
    look: 'SELECT current_schema(), count(*)::int AS rows FROM place',
  },
  {
    name: 'search_path by set_config',
    leave: ["SELECT set_config('search_path', 'state_schema', false)"],
    look: 'SELECT current_schema()',
  },
  {
    name: 'setting of its own',
    leave: ["SELECT set_config('app.tenant', 'leaked', false)"],
    look: "SELECT coalesce(current_setting('app.tenant', true), '') AS tenant",
  },
  { name: 'time zone', leave: ["SET TIME ZONE 'Asia/Kathmandu'"], look: "SELECT now()::text LIKE '%+05:45'" },
  {
    name: 'isolation, read only',
    leave: ['SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE READ ONLY'],
    look: "SELECT current_setting('transaction_isolation'), current_setting('default_transaction_read_only')",
  },
  {
    name: 'client encoding',
    leave: ["SET NAMES 'LATIN1'"],
    look: "SELECT current_setting('client_encoding')",
  },
  {
    name: 'temporary table',
    leave: ['CREATE TEMP TABLE place AS SELECT 1 AS one UNION SELECT 2'],
    look: 'SELECT count(*)::int AS rows FROM place',
  },
  {
    name: 'temporary view',
    leave: ['CREATE TEMP VIEW place AS SELECT 1 AS one UNION SELECT 2'],
    look: 'SELECT count(*)::int AS rows FROM place',
  },
  {
    name: 'temporary function',
    leave: ["CREATE FUNCTION pg_temp.f() RETURNS int LANGUAGE sql AS 'SELECT 1'"],
    look: "SELECT count(*)::int AS functions FROM pg_proc WHERE proname = 'f' AND pg_function_is_visible(oid) IS NOT NULL AND pronamespace = pg_my_temp_schema()",
  },
  {
    name: 'prepared statement',
    leave: ['PREPARE state_plan AS SELECT 1'],
    look: 'SELECT count(*)::int AS plans FROM pg_prepared_statements WHERE from_sql',
  },
  {
    name: 'cursor WITH HOLD',
    leave: ['DECLARE state_cursor CURSOR WITH HOLD FOR SELECT 1'],
    look: "SELECT count(*)::int AS cursors FROM pg_cursors WHERE name = 'state_cursor'",
  },
  {
    name: 'LISTEN',
    leave: ['LISTEN state_channel'],
    look: 'SELECT count(*)::int AS channels FROM pg_listening_channels()',
  },
  {
    name: 'advisory lock',
    leave: ['SELECT pg_advisory_lock(4711)'],
    look: "SELECT count(*)::int AS locks FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711 AND pid = pg_backend_pid()",
  },
  {
    name: 'shared advisory lock',
    leave: ['SELECT pg_advisory_lock_shared(4712)'],
    look: "SELECT count(*)::int AS locks FROM pg_locks WHERE locktype = 'advisory' AND objid = 4712 AND pid = pg_backend_pid()",
  },
  {
    name: 'currval',
    leave: ["SELECT nextval('state_numbers')"],
    look: "SELECT currval('state_numbers')",
  },
  { name: 'lastval', leave: ["SELECT nextval('state_numbers')"], look: 'SELECT lastval()' },
  {
    name: 'random numbers',
    leave: ['SELECT setseed(0.25)'],
    // The first random number with this seed.
    look: 'SELECT random() = 0.19726358498438978 AS known',
  },
];

/**
 * MariaDB, and MySQL for common features: SET, SET ROLE, USE, SET STATEMENT, LOCK TABLES, HANDLER, PREPARE, XA, information and lock
 * functions; COM_RESET_CONNECTION, `mysql_change_user()`; ProxySQL's multiplexing; HikariCP's dirty bits (catalog). In addition, all
 * session variables are read from the server.
 */
export const mysqlStates: readonly SessionState[] = [
  {
    name: 'database',
    leave: ['USE state_other'],
    look: 'SELECT DATABASE(), (SELECT COUNT(*) FROM place) AS number',
  },
  { name: 'role', leave: ['SET ROLE state_role'], look: 'SELECT CURRENT_ROLE()' },
  {
    name: 'database and role',
    leave: ['SET ROLE state_role', 'USE state_other'],
    look: 'SELECT DATABASE(), CURRENT_ROLE()',
  },
  { name: 'user variable', leave: ["SET @state = 'leaked'"], look: 'SELECT @state' },
  {
    name: 'names',
    leave: ['SET NAMES latin1'],
    look: 'SELECT @@character_set_client, @@collation_connection',
  },
  { name: 'time zone', leave: ["SET time_zone = '+03:00'"], look: 'SELECT @@time_zone' },
  { name: 'clock', leave: ['SET timestamp = 1'], look: 'SELECT NOW() < 20000101 AS isold' },
  { name: 'insert id', leave: ['SET insert_id = 4711'], look: 'SELECT @@insert_id' },
  {
    name: 'session number',
    leave: ['SET pseudo_thread_id = 4711'],
    look: 'SELECT CONNECTION_ID() = 4711 AS isset',
  },
  {
    name: 'random numbers',
    leave: ['SET rand_seed1 = 1, rand_seed2 = 1'],
    look: 'SELECT @@rand_seed1 = 1, RAND() < 0.0000001',
  },
  { name: 'autocommit', leave: ['SET autocommit = 0'], look: 'SELECT @@autocommit' },
  {
    name: 'isolation',
    leave: ['SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE'],
    look: 'SELECT @@tx_isolation',
  },
  {
    name: 'read only for the next transaction',
    leave: ['SET TRANSACTION READ ONLY'],
    look: "INSERT INTO other_place VALUES (1) RETURNING 'written' AS state",
  },
  { name: 'read only', leave: ['SET SESSION TRANSACTION READ ONLY'], look: 'SELECT @@tx_read_only' },
  { name: 'sql_mode', leave: ["SET sql_mode = 'ANSI_QUOTES'"], look: 'SELECT @@sql_mode' },
  { name: 'binary log', leave: ['SET sql_log_bin = 0'], look: 'SELECT @@sql_log_bin' },
  {
    name: 'lock',
    leave: ["SELECT GET_LOCK('state', 1)"],
    look: "SELECT IS_USED_LOCK('state') IS NULL AS isfree",
  },
  { name: 'locked tables', leave: ['LOCK TABLES place READ'], look: 'SELECT COUNT(*) FROM other_place' },
  {
    name: 'read lock',
    leave: ['FLUSH TABLES place WITH READ LOCK'],
    look: 'SELECT COUNT(*) FROM other_place',
  },
  { name: 'HANDLER', leave: ['HANDLER place OPEN'], look: 'HANDLER place READ FIRST' },
  {
    name: 'temporary table',
    leave: ['CREATE TEMPORARY TABLE place AS SELECT 1 AS id'],
    look: 'SELECT COUNT(*) AS number FROM place',
  },
  {
    name: 'temporary sequence',
    leave: ['CREATE TEMPORARY SEQUENCE state_numbers_temporary'],
    look: 'SELECT NEXTVAL(state_numbers_temporary)',
  },
  {
    name: 'prepared statement',
    leave: ["PREPARE state_plan FROM 'SELECT 1 AS one'"],
    look: 'EXECUTE state_plan',
  },
  {
    name: 'last_insert_id',
    leave: ['INSERT INTO numbered (note) VALUES (1)'],
    look: 'SELECT LAST_INSERT_ID(), @@last_insert_id, @@identity',
  },
  {
    name: 'previous value',
    leave: ['SELECT NEXTVAL(state_numbers)'],
    look: 'SELECT PREVIOUS VALUE FOR state_numbers',
  },
  { name: 'found rows', leave: ['SELECT 1 UNION SELECT 2 UNION SELECT 3'], look: 'SELECT FOUND_ROWS() = 3' },
  { name: 'warnings', leave: ["SELECT CAST('leaked' AS INT)"], look: 'SHOW WARNINGS' },
  { name: 'profiles', leave: ['SET profiling = 1', "SELECT 'leaked'"], look: 'SHOW PROFILES' },
  { name: 'time limit', leave: ['SET max_statement_time = 4711'], look: 'SELECT @@max_statement_time' },
  { name: 'rows', leave: ['SET sql_select_limit = 1'], look: 'SELECT 1 UNION SELECT 2' },
  {
    name: 'checks',
    leave: ['SET foreign_key_checks = 0, unique_checks = 0'],
    look: 'SELECT @@foreign_key_checks, @@unique_checks',
  },
  { name: 'XA transaction', leave: ["XA START 'state'"], look: 'SELECT @@in_transaction' },
  { name: 'transaction', leave: ['START TRANSACTION'], look: 'SELECT @@in_transaction' },
  { name: 'completion', leave: ["SET completion_type = 'CHAIN'"], look: 'SELECT @@completion_type' },
];

/** Documented as session variables, but global. */
const ofReplication = "'MAX_RELAY_LOG_SIZE', 'SQL_SLAVE_SKIP_COUNTER'";

/** All settings of a session, and a statement that changes each changeable setting, as listed by the server. */
export const settingsOf = {
  postgresql: {
    all: 'SELECT name, setting FROM pg_settings ORDER BY name',
    changes: `
      SELECT format('SET %s = %L', name, CASE vartype
        WHEN 'bool' THEN CASE setting WHEN 'on' THEN 'off' ELSE 'on' END
        WHEN 'enum' THEN (SELECT value FROM unnest(enumvals) AS value WHERE value <> setting LIMIT 1)
        WHEN 'string' THEN CASE name WHEN 'TimeZone' THEN 'Asia/Tokyo' WHEN 'DateStyle' THEN 'SQL, DMY'
          WHEN 'client_encoding' THEN 'LATIN1' WHEN 'log_timezone' THEN 'Asia/Tokyo' ELSE 'pg_catalog' END
        ELSE CASE WHEN setting::numeric < max_val::numeric THEN (setting::numeric + 1)::text ELSE min_val END
      END) AS change
      FROM pg_settings WHERE context IN ('user', 'superuser') ORDER BY name`,
  },
  mysql: {
    // Variables that differ between sessions have a separate test.
    all: `
      SELECT VARIABLE_NAME, SESSION_VALUE FROM information_schema.SYSTEM_VARIABLES
      WHERE SESSION_VALUE IS NOT NULL
        AND VARIABLE_NAME NOT IN ('TIMESTAMP', 'PSEUDO_THREAD_ID', 'RAND_SEED1', 'RAND_SEED2', ${ofReplication})
      ORDER BY VARIABLE_NAME`,
    changes: `
      SELECT CONCAT('SET SESSION ', LOWER(VARIABLE_NAME), ' = ', CASE
        WHEN VARIABLE_TYPE IN ('ENUM', 'SET', 'FLAGSET') THEN QUOTE(IF(SUBSTRING_INDEX(ENUM_VALUE_LIST, ',', 1) = SESSION_VALUE,
          SUBSTRING_INDEX(ENUM_VALUE_LIST, ',', -1), SUBSTRING_INDEX(ENUM_VALUE_LIST, ',', 1)))
        WHEN VARIABLE_TYPE = 'BOOLEAN' THEN IF(SESSION_VALUE = 'ON', 0, 1)
        WHEN VARIABLE_TYPE = 'VARCHAR' OR NUMERIC_MAX_VALUE IS NULL THEN QUOTE(CASE
          WHEN VARIABLE_NAME LIKE 'CHARACTER_SET%' THEN 'latin1' WHEN VARIABLE_NAME LIKE 'COLLATION%' THEN 'latin1_bin'
          WHEN VARIABLE_NAME = 'TIME_ZONE' THEN '+03:00' WHEN VARIABLE_NAME LIKE '%STORAGE_ENGINE' THEN 'MyISAM'
          WHEN VARIABLE_NAME = 'LC_TIME_NAMES' THEN 'de_DE' WHEN VARIABLE_NAME = 'LC_MESSAGES' THEN 'de_DE' ELSE '' END)
        WHEN SESSION_VALUE + 0 < NUMERIC_MAX_VALUE + 0 THEN SESSION_VALUE + GREATEST(NUMERIC_BLOCK_SIZE, 1)
        ELSE NUMERIC_MIN_VALUE END) AS \`change\`
      FROM information_schema.SYSTEM_VARIABLES
      WHERE VARIABLE_SCOPE LIKE 'SESSION%' AND READ_ONLY = 'NO' AND SESSION_VALUE IS NOT NULL
        AND VARIABLE_NAME NOT IN (${ofReplication})
      ORDER BY VARIABLE_NAME`,
  },
};
