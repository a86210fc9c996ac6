/** Which values of the configuration the service reads from its environment: values that may be secret are never in source code. */
import { referencesIn, upperSnake } from '../../../runtime/server/environment-reference.js';
import { replaceReferences } from '../../read/config/environment-reference.js';
import type { Config } from '../../read/config/config-model.js';
import { nodesOf } from '../../read/config/walk.js';
import { publicUrlOptions } from '../../read/config/jdbc/jdbc-options.js';
import { tokensInPaths } from '../../read/diagnostics/secrets/secret-words.js';
import type { ScalarText } from '../../read/source.js';
import {
  settingsOfAuthentication,
  settingsOfDatasource,
  type ResourceSetting,
} from '../../analyze/operations/resource-settings.js';
import { quotedList } from '../../read/diagnostics/quoted-list.js';

/** A value of the configuration, kept in `.env`, or of the environment alone. */
export interface EnvironmentVariable {
  /** `DATASOURCE_NEWSDB_URL`. */
  readonly name: string;
  /** As in the configuration, including `${NAME}` references. */
  readonly value: string;
  /** Its meaning, in the configuration's words. */
  readonly meaning: string;
  /** The resource that it belongs to: `datasource 'newsdb'`; undefined for settings of the service. */
  readonly resource: string | undefined;
  /** A value that may be in the example file, without anything secret. */
  readonly example: string;
  /** False when nothing in the value can be a secret: a URL without user and password, and without options of which one may be secret. */
  readonly isSecret: boolean;
  /** False for the example of a URL that lacks options of it. */
  readonly isWhole: boolean;
  /** The example with the defaults of its references; empty if it is incomplete, or a reference has no default. */
  readonly plain: string;
  /** True for a variable that expressions read with ENV: the configuration does not contain its value. */
  readonly isFromOutside?: true;
}

/** A variable that values of the configuration refer to as `${NAME}` or `${NAME:default}`. */
export interface ReferencedVariable {
  readonly name: string;
  /** Its meaning, or the meaning of the whole that it is a part of. */
  readonly meaning: string;
  /** False where each reference has a default. */
  readonly isNeeded: boolean;
}

export interface EnvironmentPlan {
  readonly values: readonly EnvironmentVariable[];
  readonly references: readonly ReferencedVariable[];
  /** Variables that can name the read replica of a database, which the configuration does not mention. */
  readonly replicas: readonly Pick<EnvironmentVariable, 'name' | 'meaning'>[];
}

export function planEnvironment(config: Config): EnvironmentPlan {
  const { datasources, authentications, settings } = config;
  const values: EnvironmentVariable[] = [];
  const add = (
    name: string,
    text: ScalarText | undefined,
    [what, resource]: readonly [string, string?],
    { example, isSecret, isWhole }: Shown = hidden,
  ): void => {
    if (text === undefined) return;
    const meaning = resource === undefined ? what : `${what} of ${resource}`;
    const plain = isWhole ? withDefaults(example) : '';
    values.push({ name, value: text.value, meaning, resource, example, isSecret, isWhole, plain });
  };
  const addAll = (prefix: string, resource: string, settings: readonly ResourceSetting[]): void => {
    for (const { suffix, what, text, shown: how } of settings)
      add(`${prefix}_${suffix}`, text, [what, resource], text && shownAs[how](text.value));
  };
  for (const datasource of datasources) {
    const { value: name } = datasource.name;
    addAll(`DATASOURCE_${upperSnake(name)}`, datasourceResource(name), settingsOfDatasource(datasource));
  }
  for (const authentication of authentications) {
    const { value: name } = authentication.name;
    const prefix = `AUTHENTICATION_${upperSnake(name)}`;
    addAll(prefix, authenticationResource(name), settingsOfAuthentication(authentication));
  }
  add('LICENCE', settings.licence, ['licence']);
  const references = referencedVariables(values);
  for (const [name, operations] of variablesRead(config)) {
    const meaning = `read by ${quotedList(operations)}`;
    values.push({ name, value: '', meaning, resource: undefined, ...hidden, plain: '', isFromOutside: true });
  }
  const replicas = datasources
    .filter(({ dialect }) => dialect !== undefined)
    .map(({ name }) => ({
      name: replicaVariable(name.value),
      meaning: `if there is one: url of a read replica of ${datasourceResource(name.value)}`,
    }));
  return { values, references, replicas };
}

const shownAs: Readonly<Record<ResourceSetting['shown'], (value: string) => Shown>> = {
  not: () => hidden,
  whole: shown,
  url: (value) => withoutSecrets(value),
  database: (value) => withoutSecrets(value, false),
  'third party': (value) => withoutSecrets(value, true),
  issuer: issuerShown,
};

/** The variable that names the read replica of a database. */
export function replicaVariable(datasource: string): string {
  return `DATASOURCE_${upperSnake(datasource)}_REPLICA_URL`;
}

/** The variables that expressions read with ENV, and the operations that do. */
function variablesRead({ operations }: Config): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const operation of operations) {
    for (const node of nodesOf(operation)) {
      if (node.kind !== 'variable') continue;
      const readers = found.get(node.name) ?? [];
      if (!readers.includes(operation.name.value)) readers.push(operation.name.value);
      found.set(node.name, readers);
    }
  }
  return found;
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

function referencedVariables(values: readonly EnvironmentVariable[]): ReferencedVariable[] {
  const found = new Map<string, ReferencedVariable>();
  for (const { value, meaning } of values) {
    for (const { text, name, fallback } of referencesIn(value)) {
      const use = text === value.trim() ? meaning : `part of the ${meaning}`;
      const before = found.get(name);
      found.set(name, {
        name,
        meaning: before === undefined ? use : `${before.meaning}; ${use}`,
        isNeeded: before?.isNeeded === true || fallback === undefined,
      });
    }
  }
  return [...found.values()];
}

/** The value with the default of every reference inserted. */
function withDefaults(value: string): string {
  if (referencesIn(value).some(({ fallback }) => fallback === undefined)) return '';
  return replaceReferences(value, ({ fallback = '' }) => fallback);
}

/** The value in examples. */
type Shown = Pick<EnvironmentVariable, 'example' | 'isSecret' | 'isWhole'>;

function shown(text: string): Shown {
  return { example: text, isSecret: false, isWhole: true };
}

const hidden: Shown = { example: '', isSecret: true, isWhole: true };

/**
 * A URL without user and password, which may be hidden in defaults too, and without parts that may be secret. `hidesPath`: without a path that
 * may be one, as that of a webhook is; else a path is shown unless it has a token.
 */
function withoutSecrets(url: string, hidesPath = tokensInPaths(url).length > 0): Shown {
  const references: string[] = [];
  // A reference becomes its number between two characters that no URL has: its default may look like any part of a URL.
  const marked = replaceReferences(url.trim().replaceAll('\0', ''), ({ text, name, fallback = '' }) => {
    const isHidden =
      /[@?]/.test(fallback) ||
      (hidesPath &&
        (withPlainPath(fallback) !== fallback || (/\d/.test(fallback) && /[A-Z]/.test(fallback))));
    references.push(isHidden ? `\${${name}}` : text);
    return `\0${references.length - 1}\0`;
  });
  const query = marked.includes('?') ? marked.indexOf('?') : marked.length;
  const whole = withoutAccount(marked.slice(0, query));
  const address = hidesPath ? withPlainPath(whole) : whole;
  const options = marked.slice(query + 1).split('&');
  const isJdbc = /^jdbc:/i.test(marked);
  const written = (text: string): string =>
    text.replaceAll(/\0(\d+)\0/g, (_, index: string) => references[Number(index)] ?? '');
  const shown = options.filter((option) => (isJdbc ? isPublic(option) : isReference(written(option))));
  const text = shown.length === 0 ? address : `${address}?${shown.join('&')}`;
  const example = written(text);
  return {
    example,
    // The options of a third-party API hold its keys.
    isSecret: example !== url || (!isJdbc && query < marked.length),
    isWhole:
      address === whole &&
      options.every((option) => option === '' || shown.includes(option) || (isJdbc && isAccount(option))),
  };
}

/** An issuer is a URL, or any other name. */
function issuerShown(issuer: string): Shown {
  return issuer.includes('://') ? withoutSecrets(issuer) : shown(issuer);
}

/** Words of addresses that are written for people: `v1`, `rest`, `order-items`, and references. Tokens have digits among letters, capitals, or no end. */
const plainSegment = /^(?:v?\d{1,2}(?:\.\d{1,2})*|[a-z]{1,12}\d?(?:[-_.][a-z]{1,12}\d?)*|\0\d+\0)?$/;

/** The URL up to its host where a segment of its path may be a secret. */
function withPlainPath(url: string): string {
  const [, origin = '', path = ''] = /^((?:[^/]*\/\/)?[^/]*)([^]*)$/.exec(url) ?? [];
  return path.split('/').every((segment) => plainSegment.test(segment)) ? url : origin;
}

function withoutAccount(address: string): string {
  const start = address.indexOf('//') + 2;
  const end = start === 1 ? 0 : address.lastIndexOf('@') + 1;
  return end > start ? address.slice(0, start) + address.slice(end) : address;
}

function isPublic(option: string): boolean {
  return publicUrlOptions.includes(option.replace(/=.*$/s, ''));
}

/** User and password of a database have variables of their own. */
function isAccount(option: string): boolean {
  return /^(?:user|password)=/.test(option);
}

/** `appid=${KEY}`: the value comes from the environment, without a default. */
function isReference(option: string): boolean {
  return /^[^=]*=\$\{\w+\}$/.test(option);
}
