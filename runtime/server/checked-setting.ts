/** Settings that a service needs to start: AUTHENTICATION_<NAME>_<FIELD>, and DATASOURCE_<NAME>_<FIELD> of datasource parts. */
import type { Environment } from './environment.js';
import { upperSnake } from './environment-reference.js';

/** The description of a setting for messages, and its validation. */
interface SettingOptions {
  /** The setting in the terms of the configuration; by default, `the field` and the field name. */
  readonly meaning?: string;
  readonly isSecret?: boolean;
  /** Returns why a value is invalid, as the end of a sentence that does not contain the value. */
  readonly problemOf?: ((value: string) => string | undefined) | undefined;
  /** Whether an empty value counts as missing. */
  readonly mayBeEmpty?: boolean;
  /** Whether the setting may be missing. */
  readonly mayBeMissing?: boolean;
}

/**
 * Returns the value. If it is missing or invalid, adds a problem to the environment and returns undefined. `field` is the path in the
 * configuration.
 */
export function readCheckedSetting(
  environment: Environment,
  [kind, name]: readonly [kind: 'authentication' | 'datasource', name: string],
  field: string,
  options: SettingOptions,
): string | undefined {
  const { meaning = `the field ${field}`, isSecret = true, problemOf } = options;
  const { mayBeEmpty = false, mayBeMissing = false } = options;
  const variable = `${kind.toUpperCase()}_${upperSnake(name)}_${upperSnake(field)}`;
  const whole = `${meaning} of the ${kind} ${name}`;
  const known = environment.problems.length;
  const value = isSecret ? environment.secret(variable, whole) : environment.text(variable, whole);
  // An unresolved reference has already been reported.
  if (environment.problems.length > known) return undefined;
  if (mayBeMissing && value === undefined) return undefined;
  if (mayBeEmpty && value === '') return undefined;
  const problem = value === undefined ? 'is not set' : problemOf?.(value);
  if (problem !== undefined) environment.problems.push(`${variable} ${problem}: it is ${whole}`);
  return problem === undefined ? value : undefined;
}

/** The values of a setting without a second value; empty with a problem. */
export function readOnlySetting(...setting: Parameters<typeof readCheckedSetting>): readonly string[] {
  return [readCheckedSetting(...setting) ?? []].flat();
}

/**
 * The values of a secret, all of which are valid at the same time: the setting and `<SETTING>_2`, so that a secret can be replaced without a
 * build, or as many as the configuration has (`configured`). From the second one on, an empty value counts as missing; more than are
 * configured can be missing.
 */
export function readRotatedSetting(
  environment: Environment,
  resource: Parameters<typeof readCheckedSetting>[1],
  field: string,
  {
    meaning = `the field ${field}`,
    configured = 1,
    ...options
  }: SettingOptions & { readonly configured?: number },
): readonly string[] {
  return Array.from({ length: Math.max(configured, 2) }, (_, index) => {
    const isConfigured = index < configured;
    return (
      readCheckedSetting(environment, resource, index === 0 ? field : `${field}_${index + 1}`, {
        ...options,
        meaning: isConfigured ? meaning : `a second value for ${meaning}`,
        mayBeEmpty: index > 0,
        mayBeMissing: !isConfigured,
      }) ?? []
    );
  }).flat();
}
