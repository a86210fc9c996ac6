/** Verifies tokens (JWT) with a single key from a setting of the service. */
import { Jwt, type JwtOptions } from './jwt.js';
import { problemOfVerifyingKey, verifyingKey } from './key-text.js';
import type { KeySource } from './token-keys.js';

/** Creates the named authentication, with the settings AUTHENTICATION_<NAME>_ISSUER, _AUDIENCE and _KEY. */
export function jwtOfKey(name: string, options: JwtOptions = {}): Jwt {
  return new Jwt(name, own, options);
}

const own: KeySource = {
  field: 'key',
  isSecret: true,
  problemOf: problemOfVerifyingKey,
  keysOf: verifyingKey,
};
