/** Random values for variables of authentications and of the outbox that are not set, so that a service can be tried without them under `apikiln dev`. */
import { randomBytes } from 'node:crypto';
import { referencesIn, upperSnake } from '../../../runtime/server/environment-reference.js';
import {
  settingsOfAuthentication,
  type ResourceSetting,
} from '../../analyze/operations/resource-settings.js';
import { planEnvironment, authenticationResource } from '../../generate/plan/environment.js';
import type { Authentication, Config } from '../../read/config/config-model.js';
import { cheapHash } from '../local/credentials.js';
import { makeTokenKey } from '../local/token-keys.js';
import { passingOf } from '../testing/read/passed-variables.js';

export class MissingSecrets {
  /** The values by variable and kind, so that each version of the service has the same ones. */
  readonly #values = new Map<string, string>();

  /**
   * Values for the variables that the service does not start without. `isSet`: whether a variable has a value in the environment or in
   * `.env`. A variable that is also used outside of authentications is omitted: a random value would hide that it is missing there.
   */
  async valuesFor(config: Config, isSet: (name: string) => boolean): Promise<Record<string, string>> {
    const others = variablesOfOthers(config);
    const found = new Map<string, string>();
    for (const authentication of config.authentications) {
      for (const setting of settingsOfAuthentication(authentication)) {
        const whole = `AUTHENTICATION_${upperSnake(authentication.name.value)}_${setting.suffix}`;
        // `jwks` is replaced as a whole.
        if (setting.text === undefined || setting.suffix === 'JWKS' || isSet(whole)) continue;
        for (const { name, fallback, text } of referencesIn(setting.text.value)) {
          if (fallback !== undefined || isSet(name) || others.has(name) || found.has(name)) continue;
          // Some variables have an effect on Node and libraries, no matter where they are named.
          if (passingOf(name, config) === 'interpreted') continue;
          const kind = kindOf(authentication, setting, text === setting.text.value.trim());
          if (kind !== undefined) found.set(name, await this.#value(name, kind));
        }
      }
    }
    const { outboxKey } = planEnvironment(config);
    if (outboxKey !== undefined && !isSet(outboxKey.name))
      found.set(outboxKey.name, await this.#value(outboxKey.name, 'secret'));
    return Object.fromEntries(found);
  }

  async #value(name: string, kind: string): Promise<string> {
    const key = `${kind} ${name}`;
    const value = this.#values.get(key) ?? (await randomValue(kind));
    this.#values.set(key, value);
    return value;
  }
}

/** `secret`, `hash`, `name`, or the algorithm of a public key; undefined if a random value would not be valid. */
function kindOf(
  authentication: Authentication,
  { suffix, text }: ResourceSetting,
  isWhole: boolean,
): string | undefined {
  // A random value has no prefix.
  if (
    authentication.type === 'apikey' &&
    text?.value.startsWith(authentication.prefix?.value ?? '') === false
  )
    return undefined;
  if (suffix === 'PASSWORD_HASH') return isWhole ? 'hash' : undefined;
  if (/^(?:USER|ISSUER|AUDIENCE)$/.test(suffix)) return 'name';
  const [algorithm = 'HS256'] =
    authentication.type === 'jwt' ? authentication.algorithms.map(({ value }) => value) : [];
  if (algorithm.startsWith('HS')) return 'secret';
  return isWhole ? algorithm : undefined;
}

async function randomValue(kind: string): Promise<string> {
  const digits = randomBytes(32).toString('hex');
  switch (kind) {
    case 'name':
      return `dev-${digits.slice(0, 12)}`;
    case 'secret':
      // A valid key, password, digest and Base64, whatever it is used for.
      return digits;
    case 'hash':
      return cheapHash(digits);
    default:
      // The private key is not available: `dev` adds a second key.
      return (await makeTokenKey(kind, digits)).pem;
  }
}

/** Variables that datasources, operations and settings read. */
function variablesOfOthers(config: Config): ReadonlySet<string> {
  const own = new Set(config.authentications.map(({ name }) => authenticationResource(name.value)));
  const others = planEnvironment(config).values.filter(({ resource }) => !own.has(resource ?? ''));
  return new Set(
    others.flatMap(({ name, value, isFromOutside }) =>
      isFromOutside === true ? [name] : referencesIn(value).map((reference) => reference.name),
    ),
  );
}
