/** Settings that a service does not start without: those of authentications, and of parts of datasources. */
import type { Environment } from './environment.js';

/** The meaning of a setting, and its check. */
export interface CheckedSetting {
  readonly variable: string;
  /** In the configuration's words: `the field password of the authentication users`. */
  readonly meaning: string;
  readonly isSecret: boolean;
  /** Why a value is not valid, as the end of a sentence, without the value. */
  readonly problemOf?: ((value: string) => string | undefined) | undefined;
}

/** The value; undefined if it is missing or wrong, which is added to the problems of the environment. */
export function readCheckedSetting(
  environment: Environment,
  { variable, meaning, isSecret, problemOf }: CheckedSetting,
): string | undefined {
  const known = environment.problems.length;
  const value = isSecret ? environment.secret(variable, meaning) : environment.text(variable, meaning);
  // An unresolved reference has been reported.
  if (environment.problems.length > known) return undefined;
  const problem = value === undefined ? 'is not set' : problemOf?.(value);
  if (problem !== undefined) environment.problems.push(`${variable} ${problem}: it is ${meaning}`);
  return problem === undefined ? value : undefined;
}
