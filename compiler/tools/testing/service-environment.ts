/** The settings of a service under test: databases and third parties are the test's own, and nothing is inherited from this process. */
import { settingsOfDatasource } from '../../analyze/operations/resource-settings.js';
import { referencesIn, upperSnake } from '../../../runtime/server/environment-reference.js';
import { planEnvironment } from '../../generate/plan/environment.js';
import { asThirdParty, type Config } from '../../read/config/config-model.js';
import { datasourceSettings, type LocalDatabase } from '../local/local-database.js';
import type { StubServer } from '../local/stub-server.js';

/** The secret of a third party's signature, and the key of the outbox. Valid in all signature schemes; standard-webhooks requires base64. */
export const testSecret = 'whsec_dGVzdHRlc3R0ZXN0dGVzdHRlc3R0ZXN0';

/** `credentials`: settings of authentications. `own`: variables of the test file, which take precedence. */
export function serviceEnvironment(
  config: Config,
  databases: ReadonlyMap<string, LocalDatabase>,
  stubs: ReadonlyMap<string, StubServer>,
  credentials: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const environment: Record<string, string> = {
    TZ: 'UTC',
    SCHEDULE: 'off',
    LOG_FORMAT: 'text',
    LOG_LEVEL: 'warn',
  };
  const { values, outboxKey } = planEnvironment(config);
  for (const { name, isFromOutside, isOptional } of values)
    if (isFromOutside === true && isOptional !== true) environment[name] = 'test';
  if (outboxKey !== undefined) environment[outboxKey.name] = testSecret;
  if (referencesIn(config.mcp?.url?.value ?? '').length > 0) environment.MCP_URL = '';
  for (const datasource of config.datasources) {
    const { name, type, url } = datasource;
    const signature = asThirdParty(datasource)?.signature;
    const prefix = upperSnake(name.value);
    // A test file that sets the secret's variable can verify the third party's signature.
    const isOwnSecret = referencesIn(signature?.secret.value ?? '').some(
      (found) => own[found.name] !== undefined,
    );
    if (signature !== undefined && !isOwnSecret)
      environment[`DATASOURCE_${prefix}_SIGNATURE_SECRET`] = testSecret;
    for (const { suffix, text } of settingsOfDatasource(datasource)) {
      if (suffix === 'SIGNATURE_SECRET') continue;
      for (const { name: variable, fallback } of referencesIn(text?.value ?? ''))
        if (fallback === undefined) environment[variable] = 'test';
    }
    const database = databases.get(name.value);
    if (database !== undefined) Object.assign(environment, datasourceSettings(prefix, database.connection));
    const stub = stubs.get(name.value);
    if (stub !== undefined) environment[`STUB_${prefix}`] = stub.url;
    if (type === 'smtp') {
      environment[`DATASOURCE_${prefix}_URL`] = '';
      if (referencesIn(datasource.from?.value ?? '').length > 0)
        environment[`DATASOURCE_${prefix}_FROM`] = 'service@example.com';
    }
    // In production, the environment contains the host.
    if (type === 'rest' && /^(?:https?:\/\/)?[^/?#]*\$\{\w+\}/.test(url?.value ?? ''))
      environment[`DATASOURCE_${prefix}_URL`] = `http://${prefix.toLowerCase().replaceAll('_', '-')}.test`;
  }
  return { ...environment, ...credentials, ...own };
}
