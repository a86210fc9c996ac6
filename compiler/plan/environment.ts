/** Which values of the configuration the service reads from its environment: values that may be secret are never in source code. */
import { referencesIn, replaceReferences } from '../../runtime/server/environment-reference.js';
import { upperSnake } from '../../runtime/server/upper-snake.js';
import type { Config } from '../config/config-model.js';
import type { ScalarText } from '../source.js';

/** A value of the configuration, kept in `.env`. */
export interface EnvironmentVariable {
  /** `DATASOURCE_NEWSDB_URL`. */
  readonly name: string;
  /** As the configuration has it, `${NAME}` references included. */
  readonly value: string;
  /** What it is, in the configuration's words. */
  readonly meaning: string;
  /** Of what it is: `datasource 'newsdb'`; undefined for settings of the service. */
  readonly resource: string | undefined;
  /** A value that may be in the example file, without anything secret. */
  readonly example: string;
  /** False when nothing in the value can be a secret: a URL without user, password and options. */
  readonly isSecret: boolean;
  /** The value with the defaults of its references; empty when it is secret, or a reference has none. */
  readonly plain: string;
}

/** A variable that values of the configuration refer to as `${NAME}` or `${NAME:default}`. */
export interface ReferencedVariable {
  readonly name: string;
  readonly meaning: string;
}

export interface EnvironmentPlan {
  readonly values: readonly EnvironmentVariable[];
  readonly references: readonly ReferencedVariable[];
}

export function planEnvironment({ datasources, authentications, settings }: Config): EnvironmentPlan {
  const values: EnvironmentVariable[] = [];
  const add = (
    name: string,
    text: ScalarText | undefined,
    [what, resource]: readonly [string, string?],
    example = '',
  ): void => {
    if (text === undefined) return;
    const isSecret = example === '' || example !== text.value;
    const meaning = resource === undefined ? what : `${what} of ${resource}`;
    values.push({
      name,
      value: text.value,
      meaning,
      resource,
      example,
      isSecret,
      plain: withDefaults(example),
    });
  };
  for (const { name, url, user, password, header } of datasources) {
    const prefix = `DATASOURCE_${upperSnake(name.value)}`;
    const resource = datasourceResource(name.value);
    add(`${prefix}_URL`, url, ['url', resource], url === undefined ? '' : withoutSecrets(url.value));
    add(`${prefix}_USER`, user, ['user', resource]);
    add(`${prefix}_PASSWORD`, password, ['password', resource]);
    for (const field of header)
      add(headerVariable(name.value, field.name.value), field.value, [
        `header '${field.name.value}'`,
        resource,
      ]);
  }
  for (const { name, user, password } of authentications) {
    const prefix = `AUTHENTICATION_${upperSnake(name.value)}`;
    const resource = authenticationResource(name.value);
    add(`${prefix}_USER`, user, ['user', resource]);
    add(`${prefix}_PASSWORD`, password, ['password', resource]);
  }
  add('LICENCE', settings.licence, ['licence']);
  return { values, references: referencedVariables(values) };
}

export function datasourceResource(name: string): string {
  return `datasource '${name}'`;
}

export function authenticationResource(name: string): string {
  return `authentication '${name}'`;
}

/** The variables of a resource, in the order of their fields. */
export function variablesOf(resource: string, { values }: EnvironmentPlan): string[] {
  return values.filter((variable) => variable.resource === resource).map(({ name }) => name);
}

/** The variable that holds the value of a header. */
export function headerVariable(datasource: string, header: string): string {
  return `DATASOURCE_${upperSnake(datasource)}_HEADER_${upperSnake(header)}`;
}

function referencedVariables(values: readonly EnvironmentVariable[]): ReferencedVariable[] {
  const meanings = new Map<string, string>();
  for (const { value, meaning } of values) {
    for (const { name, fallback } of referencesIn(value)) {
      const use = `${fallback === undefined ? 'needed: ' : ''}part of the ${meaning}`;
      const before = meanings.get(name);
      meanings.set(name, before === undefined ? use : `${before}; ${use}`);
    }
  }
  return [...meanings].map(([name, meaning]) => ({ name, meaning }));
}

/** The value with the default of every reference inserted. */
function withDefaults(value: string): string {
  if (referencesIn(value).some(({ fallback }) => fallback === undefined)) return '';
  return replaceReferences(value, ({ fallback = '' }) => fallback);
}

/** A URL without user, password and options, which may be hidden in defaults too. */
function withoutSecrets(url: string): string {
  const references: string[] = [];
  const bare = replaceReferences(url.trim().replaceAll('\0', ''), ({ text, name, fallback = '' }) => {
    references.push(/[@?]/.test(fallback) ? `\${${name}}` : text);
    return '\0';
  });
  const withoutOptions = bare.replace(/\?.*$/s, '');
  const start = withoutOptions.indexOf('//') + 2;
  const end = start === 1 ? 0 : withoutOptions.lastIndexOf('@') + 1;
  const account = end > start ? withoutOptions.slice(0, start) + withoutOptions.slice(end) : withoutOptions;
  if (end > start) references.splice(0, withoutOptions.slice(start, end).split('\0').length - 1);
  return account.replaceAll('\0', () => references.shift() ?? '');
}
