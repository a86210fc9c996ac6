/** Settings that a service needs to start: AUTHENTICATION_<NAME>_<FIELD>, and DATASOURCE_<NAME>_<FIELD> of datasource parts. */
import type { Environment } from './environment.js';
import { upperSnake } from './environment-reference.js';

/** The description of a setting for messages, and its validation. */
interface SettingOptions {
  /** What the setting is, in the terms of the configuration; by default, `the field` and the field name. */
  readonly meaning?: string;
  readonly isSecret?: boolean;
  /** Returns why a value is invalid, as the end of a sentence that does not contain the value. */
  readonly problemOf?: ((value: string) => string | undefined) | undefined;
}

/**
 * Returns the value. If it is missing or invalid, adds a problem to the environment and returns undefined. `field` is the path in the
 * configuration.
 */
export function readCheckedSetting(
  environment: Environment,
  [kind, name]: readonly [kind: 'authentication' | 'datasource', name: string],
  field: string,
  { meaning = `the field ${field}`, isSecret = true, problemOf }: SettingOptions,
): string | undefined {
  const variable = `${kind.toUpperCase()}_${upperSnake(name)}_${upperSnake(field)}`;
  const whole = `${meaning} of the ${kind} ${name}`;
  const known = environment.problems.length;
  const value = isSecret ? environment.secret(variable, whole) : environment.text(variable, whole);
  // An unresolved reference has already been reported.
  if (environment.problems.length > known) return undefined;
  const problem = value === undefined ? 'is not set' : problemOf?.(value);
  if (problem !== undefined) environment.problems.push(`${variable} ${problem}: it is ${whole}`);
  return problem === undefined ? value : undefined;
}
