/** Variables that a test file may set for the service: settings, and variables that the configuration or user code reads by name. */
import { upperSnake } from '../../../../runtime/server/environment-reference.js';
import { secondSettingsOf } from '../../../analyze/operations/resource-settings.js';
import { planEnvironment } from '../../../generate/plan/environment.js';
import type { Config } from '../../../read/config/config-model.js';

/** The settings in the table of templates/README.md, MCP_URL and LICENCE. */
export const settings: readonly string[] = [
  ...['POOL_WAIT', 'LOG_LEVEL', 'LOG_FORMAT', 'LOG_REQUESTS', 'REQUEST_TIMEOUT', 'BODY_LIMIT', 'BODY_DEPTH'],
  ...['FILE_LIMIT', 'PART_LIMIT', 'UPLOAD_MEMORY', 'ROW_LIMIT', 'RESULT_LIMIT', 'RESPONSE_LIMIT'],
  ...['HEADER_LIMIT', 'LOOP_LIMIT', 'LIST_MEMORY', 'SEND_TIMEOUT', 'SCHEDULE', 'SCHEDULE_LEDGER'],
  ...['SCHEDULE_TIMEOUT', 'WORKERS', 'MANAGEMENT_PORT', 'CORS_ORIGIN', 'COMPRESSION'],
  ...['SHUTDOWN_DELAY', 'SHUTDOWN_TIMEOUT', 'MCP_URL', 'LICENCE'],
];

/** Settings with addresses of the service, its databases and its key servers: other values could redirect to other machines. */
const ofTester = /^(?:PORT|HOST|MANAGEMENT_HOST|AUTHENTICATION_\w+_JWKS)$/;

/**
 * Variables that affect programs and libraries regardless of who declares them: Node and its loader can be made to run code, OpenSSL loads
 * modules, drivers and clients read files or use proxies, and programs started by user code have similar variables.
 */
const interpreted =
  /^(?:NODE|LD|DYLD|OPENSSL|SSL|GLIBC|MALLOC|GCONV|UV|NPM|BASH|APIKILN|STUB)_|^PG[A-Z]+$|^(?:PATH|HOME|SHELL|IFS|ENV|TZDIR|HOSTALIASES|RES_OPTIONS|LOCALDOMAIN|SSLKEYLOGFILE|TMPDIR|TMP|TEMP|(?:\w+_)?PROXY)$|^(?:_?JAVA_OPTIONS|(?:JAVA_TOOL|JDK_JAVA)_OPTIONS|CLASSPATH|GIT_(?:SSH|EXEC|EXTERNAL|CONFIG|ASKPASS|PAGER|EDITOR|TEMPLATE|DIR)\w*|PYTHON\w+|PERL5?(?:OPT|LIB|DB)|RUBY(?:OPT|LIB)|PAGER|EDITOR|VISUAL|BROWSER)$/i;

export type Passing = 'passed' | 'tester' | 'interpreted' | 'unknown';

/** `read`: names that user code reads. */
export function passingOf(name: string, config: Config, read: ReadonlySet<string> = new Set()): Passing {
  if (interpreted.test(name)) return 'interpreted';
  if (ofTester.test(name) || isOfDatabase(name, config)) return 'tester';
  return settings.includes(name) || read.has(name) || declaredIn(config).has(name) ? 'passed' : 'unknown';
}

function isOfDatabase(name: string, { datasources }: Config): boolean {
  return datasources.some(({ name: datasource, type }) => {
    const prefix = `DATASOURCE_${upperSnake(datasource.value)}`;
    return (
      type === 'db' &&
      ['URL', 'REPLICA_URL', 'USER', 'PASSWORD'].some((field) => name === `${prefix}_${field}`)
    );
  });
}

/** Also used in messages. */
export function declaredIn(config: Config): ReadonlySet<string> {
  const { values, references, outboxKey } = planEnvironment(config);
  const pools = config.datasources.map(({ name }) => `DATASOURCE_${upperSnake(name.value)}_POOL_MAX`);
  const seconds = config.authentications.flatMap((authentication) =>
    secondSettingsOf(authentication).map(
      (setting) => `AUTHENTICATION_${upperSnake(authentication.name.value)}_${setting}`,
    ),
  );
  const keys = outboxKey === undefined ? [] : [`${outboxKey.name}_2`];
  return new Set([...[...values, ...references].map(({ name }) => name), ...pools, ...seconds, ...keys]);
}
