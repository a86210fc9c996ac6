/** The settings of a service under test: databases and third parties are those of the test, and nothing is from this process. */
import { scryptSync } from 'node:crypto';
import { referencesIn } from '../../../runtime/server/environment-reference.js';
import { upperSnake } from '../../../runtime/server/upper-snake.js';
import { planEnvironment } from '../../generate/plan/environment.js';
import type { Config } from '../../read/config/config-model.js';
import { datasourceSettings, type LocalDatabase } from '../local/local-database.js';
import type { StubServer } from '../local/stub-server.js';

/** In place of keys and secrets of the environment: long enough to be one, and Base64. */
const testValue = 'testtesttesttesttesttesttesttesttesttest';

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** The credentials of each account: as configured, or invented if they would be from the environment, or only their hash is known. */
export function credentialsOf({ authentications }: Config): ReadonlyMap<string, Credentials> {
  const accounts = authentications.filter(({ type }) => type === 'basicauth');
  return new Map(
    accounts.map(({ name, user, password, passwordHash }) => {
      const [written, secret] = [user?.value ?? '', password?.value ?? ''];
      const isOpen = passwordHash !== undefined || /\$\{/.test(`${written}${secret}`);
      return [
        name.value,
        isOpen ? { user: 'test', password: `test-${name.value}` } : { user: written, password: secret },
      ];
    }),
  );
}

/** Settings of authentications, without anything of this process: invented where they would be from the environment. */
function authenticationSettings({ authentications }: Config): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const { name, passwordHash, issuer, audience, jwks, key, keys, secrets } of authentications) {
    const prefix = `AUTHENTICATION_${upperSnake(name.value)}`;
    for (const text of [issuer, audience, jwks, key, ...keys.map(({ value }) => value), ...secrets])
      for (const { name: variable, fallback } of referencesIn(text?.value ?? ''))
        if (fallback === undefined) settings[variable] = testValue;
    if (jwks?.value.includes('${') === true) settings[`${prefix}_JWKS`] = 'https://id.test/keys';
    if (passwordHash !== undefined) settings[`${prefix}_PASSWORD_HASH`] = hashOf(`test-${name.value}`);
  }
  return settings;
}

/** As cheap as a hash may be. */
function hashOf(password: string): string {
  const salt = Buffer.from('salt of tests');
  const [saltText, hash] = [salt, scryptSync(password, salt, 32, { N: 1024, r: 8, p: 1 })].map((bytes) =>
    bytes.toString('base64'),
  );
  return `$scrypt$ln=10,r=8,p=1$${saltText}$${hash}`;
}

/** `own`: what the test file sets, which wins over everything else. */
export function serviceEnvironment(
  config: Config,
  databases: ReadonlyMap<string, LocalDatabase>,
  stubs: ReadonlyMap<string, StubServer>,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const environment: Record<string, string> = {
    TZ: 'UTC',
    SCHEDULE: 'off',
    LOG_FORMAT: 'text',
    LOG_LEVEL: 'warn',
  };
  for (const { name, isFromOutside } of planEnvironment(config).values)
    if (isFromOutside === true) environment[name] = 'test';
  for (const { name, type, url, user, password, header } of config.datasources) {
    const prefix = upperSnake(name.value);
    for (const text of [url, user, password, ...header.map(({ value }) => value)]) {
      for (const { name: variable, fallback } of referencesIn(text?.value ?? ''))
        if (fallback === undefined) environment[variable] = 'test';
    }
    const database = databases.get(name.value);
    if (database !== undefined) Object.assign(environment, datasourceSettings(prefix, database.connection));
    const stub = stubs.get(name.value);
    if (stub !== undefined) environment[`STUB_${prefix}`] = stub.url;
    // In a real service the environment has its address.
    if (type === 'rest' && /^(?:https?:\/\/)?[^/?#]*\$\{\w+\}/.test(url?.value ?? ''))
      environment[`DATASOURCE_${prefix}_URL`] = `http://${prefix.toLowerCase().replaceAll('_', '-')}.test`;
  }
  Object.assign(environment, authenticationSettings(config));
  for (const [name, { user, password }] of credentialsOf(config)) {
    environment[`AUTHENTICATION_${upperSnake(name)}_USER`] = user;
    environment[`AUTHENTICATION_${upperSnake(name)}_PASSWORD`] = password;
  }
  return { ...environment, ...own };
}
