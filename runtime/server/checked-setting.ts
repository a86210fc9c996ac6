/** Settings that a service does not start without: AUTHENTICATION_<NAME>_<FIELD>, and DATASOURCE_<NAME>_<FIELD> of parts of datasources. */
import type { Environment } from './environment.js';
import { upperSnake } from './environment-reference.js';

/** The meaning of a setting, and its check. */
interface SettingOptions {
  /** In the configuration's words; left out, it is `the field` of that name. */
  readonly meaning?: string;
  readonly isSecret?: boolean;
  /** Why a value is not valid, as the end of a sentence, without the value. */
  readonly problemOf?: ((value: string) => string | undefined) | undefined;
}

/** The value; undefined if it is missing or wrong, which is added to the problems of the environment. `field` is its path in the configuration. */
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
  // An unresolved reference has been reported.
  if (environment.problems.length > known) return undefined;
  const problem = value === undefined ? 'is not set' : problemOf?.(value);
  if (problem !== undefined) environment.problems.push(`${variable} ${problem}: it is ${whole}`);
  return problem === undefined ? value : undefined;
}
