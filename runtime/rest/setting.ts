/** Settings of REST datasources beside their URL and account: DATASOURCE_<NAME>_<FIELD>. */
import { readCheckedSetting, type CheckedSetting } from '../server/checked-setting.js';
import type { Environment } from '../server/environment.js';
import { upperSnake } from '../server/environment-reference.js';

/** The meaning of a setting, and its check. */
interface SettingOptions extends Pick<CheckedSetting, 'isSecret' | 'problemOf'> {
  /** Path of the field in the configuration: `oauth2.clientId`. */
  readonly field: string;
}

/** The value; empty if it is missing or wrong, which is added to the problems of the environment. */
export function readDatasourceSetting(
  environment: Environment,
  datasource: string,
  { field, isSecret, problemOf }: SettingOptions,
): string {
  const value = readCheckedSetting(environment, {
    variable: `DATASOURCE_${upperSnake(datasource)}_${upperSnake(field)}`,
    meaning: `the field ${field} of the datasource ${datasource}`,
    isSecret,
    problemOf: (value) => (value === '' ? 'is not set' : problemOf?.(value)),
  });
  return value ?? '';
}
