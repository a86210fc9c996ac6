/** Settings of REST datasources beside their URL and account: DATASOURCE_<NAME>_<FIELD>. */
import type { Environment } from '../server/environment.js';
import { upperSnake } from '../server/upper-snake.js';

/** The meaning of a setting, and its check. */
interface SettingOptions {
  /** Path of the field in the configuration: `oauth2.clientId`. */
  readonly field: string;
  readonly isSecret: boolean;
  /** Why a value is not valid, as the end of a sentence, without the value. */
  readonly problemOf?: (value: string) => string | undefined;
}

/** The value; empty if it is missing or wrong, which is added to the problems of the environment. */
export function readDatasourceSetting(
  environment: Environment,
  datasource: string,
  { field, isSecret, problemOf }: SettingOptions,
): string {
  const variable = `DATASOURCE_${upperSnake(datasource)}_${upperSnake(field)}`;
  const what = `the field ${field} of the datasource ${datasource}`;
  const known = environment.problems.length;
  const value = isSecret ? environment.secret(variable, what) : environment.text(variable, what);
  // An unresolved reference has been reported.
  if (environment.problems.length > known) return '';
  const problem = (value ?? '') === '' ? 'is not set' : problemOf?.(value ?? '');
  if (problem !== undefined) environment.problems.push(`${variable} ${problem}: it is ${what}`);
  return problem === undefined ? (value ?? '') : '';
}
