/** Settings of authentications: AUTHENTICATION_<NAME>_<FIELD>. */
import { readCheckedSetting, type CheckedSetting } from '../server/checked-setting.js';
import type { Environment } from '../server/environment.js';
import { upperSnake } from '../server/environment-reference.js';

/** The meaning of a setting, and its check. */
export interface SettingOptions extends Pick<CheckedSetting, 'problemOf'> {
  /** In the configuration's words: `the field password`. */
  readonly meaning: string;
  readonly isSecret?: boolean;
}

/** The value; undefined if it is missing or wrong, which is added to the problems of the environment. */
export function readSetting(
  environment: Environment,
  authentication: string,
  field: string,
  { meaning, isSecret = true, problemOf }: SettingOptions,
): string | undefined {
  return readCheckedSetting(environment, {
    variable: `AUTHENTICATION_${upperSnake(authentication)}_${upperSnake(field)}`,
    meaning: `${meaning} of the authentication ${authentication}`,
    ...{ isSecret, problemOf },
  });
}
