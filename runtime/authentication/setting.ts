/** Settings of authentications: AUTHENTICATION_<NAME>_<FIELD>. */
import type { Environment } from '../server/environment.js';
import { upperSnake } from '../server/upper-snake.js';

/** The meaning of a setting, and its check. */
export interface SettingOptions {
  /** In the configuration's words: `the field password`. */
  readonly meaning: string;
  readonly isSecret?: boolean;
  /** Why a value is not valid, as the end of a sentence, without the value. */
  readonly problemOf?: (value: string) => string | undefined;
}

/** The value; undefined if it is missing or wrong, which is added to the problems of the environment. */
export function readSetting(
  environment: Environment,
  authentication: string,
  field: string,
  { meaning, isSecret = true, problemOf }: SettingOptions,
): string | undefined {
  const variable = `AUTHENTICATION_${upperSnake(authentication)}_${upperSnake(field)}`;
  const what = `${meaning} of the authentication ${authentication}`;
  const known = environment.problems.length;
  const value = isSecret ? environment.secret(variable, what) : environment.text(variable, what);
  // An unresolved reference has been reported.
  if (environment.problems.length > known) return undefined;
  const problem = value === undefined ? 'is not set' : problemOf?.(value);
  if (problem !== undefined) environment.problems.push(`${variable} ${problem}: it is ${what}`);
  return problem === undefined ? value : undefined;
}
