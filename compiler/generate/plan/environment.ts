/** Which configuration values the service reads from its environment: potential secrets are never written to source code. */
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
import { sealsRows } from '../../analyze/operations/secrets/sealed-rows.js';
import { quotedList } from '../../read/diagnostics/quoted-list.js';

/** A configuration value stored in `.env`, or a variable that only exists in the environment. */
export interface EnvironmentVariable {
  /** Such as `DATASOURCE_NEWSDB_URL`. */
  readonly name: string;
  /** The value in the configuration, including `${NAME}` references. */
  readonly value: string;
  /** A description in the configuration's terms. */
  readonly meaning: string;
  /** The resource that the variable belongs to, such as `datasource 'newsdb'`; undefined for settings of the service. */
  readonly resource: string | undefined;
  /** A value without secrets, for the example file. */
  readonly example: string;
  /** False if the value cannot contain a secret: a URL without user and password, and without options that may be secret. */
  readonly isSecret: boolean;
  /** False if the example is a URL from which options were removed. */
  readonly isWhole: boolean;
  /** The example with references replaced by their defaults; empty if the example is incomplete or a reference has no default. */
  readonly plain: string;
  /** Set for variables that expressions read with ENV, and for the outbox key; their values are not in the configuration. */
  readonly isFromOutside?: true;
  /** Set if each ENV of the variable has a default. */
  readonly isOptional?: true;
}

/** A variable that configuration values refer to as `${NAME}` or `${NAME:default}`. */
export interface ReferencedVariable {
  readonly name: string;
  /** The meaning of the variable, or of the value that contains the reference. */
  readonly meaning: string;
  /** False if every reference has a default. */
  readonly isNeeded: boolean;
}

export interface EnvironmentPlan {
  readonly values: readonly EnvironmentVariable[];
  readonly references: readonly ReferencedVariable[];
  /** Variables for the read replicas of databases, which are not part of the configuration. */
  readonly replicas: readonly Pick<EnvironmentVariable, 'name' | 'meaning'>[];
  /** The variable of the key that encrypts rows of the outbox; undefined if none is encrypted. */
  readonly outboxKey: EnvironmentVariable | undefined;
}

export function planEnvironment(config: Config): EnvironmentPlan {
  const { datasources, authentications, mcp, settings } = config;
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
  add('MCP_URL', mcp?.url, ['url of mcp'], mcp?.url && withoutSecrets(mcp.url.value));
  add('LICENCE', settings.licence, ['licence']);
  const references = referencedVariables(values);
  for (const [name, { operations, isOptional }] of variablesRead(config)) {
    const meaning = `read by ${quotedList(operations)}`;
    const variable = { name, value: '', meaning, resource: undefined, ...hidden, plain: '' } as const;
    values.push({ ...variable, isFromOutside: true, ...(isOptional ? { isOptional } : {}) });
  }
  const replicas = datasources
    .filter(({ dialect }) => dialect !== undefined)
    .map(({ name }) => ({
      name: replicaVariable(name.value),
      meaning: `if there is one: url of a read replica of ${datasourceResource(name.value)}`,
    }));
  const outboxKey = sealsRows(config) ? keyOfOutbox : undefined;
  if (outboxKey !== undefined) values.push(outboxKey);
  return { values, references, replicas, outboxKey };
}

const shownAs: Readonly<Record<ResourceSetting['shown'], (value: string) => Shown>> = {
  not: () => hidden,
  whole: shown,
  url: (value) => withoutSecrets(value),
  database: (value) => withoutSecrets(value, false),
  'third party': (value) => withoutSecrets(value, true),
  issuer: issuerShown,
};

/** The variable for the read replica of a database. */
export function replicaVariable(datasource: string): string {
  return `DATASOURCE_${upperSnake(datasource)}_REPLICA_URL`;
}

interface VariableUse {
  /** The names of the operations that read it. */
  readonly operations: readonly string[];
  /** Whether each ENV has a default. */
  readonly isOptional: boolean;
}

/** Variables read with ENV. */
function variablesRead({ operations }: Config): ReadonlyMap<string, VariableUse> {
  const found = new Map<string, VariableUse>();
  for (const operation of operations) {
    for (const node of nodesOf(operation)) {
      if (node.kind !== 'variable') continue;
      const { operations: readers, isOptional } = found.get(node.name) ?? {
        operations: [],
        isOptional: true,
      };
      found.set(node.name, {
        operations: [...new Set([...readers, operation.name.value])],
        isOptional: isOptional && node.byDefault.length > 0,
      });
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

/** Variables of a resource, in field order. */
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

/** The value with references replaced by their defaults. */
function withDefaults(value: string): string {
  if (referencesIn(value).some(({ fallback }) => fallback === undefined)) return '';
  return replaceReferences(value, ({ fallback = '' }) => fallback);
}

/** The value as shown in examples. */
type Shown = Pick<EnvironmentVariable, 'example' | 'isSecret' | 'isWhole'>;

function shown(text: string): Shown {
  return { example: text, isSecret: false, isWhole: true };
}

const hidden: Shown = { example: '', isSecret: true, isWhole: true };

const keyOfOutbox: EnvironmentVariable = {
  name: 'OUTBOX_KEY',
  value: '',
  meaning: 'encrypts results of RANDOM, HASH and TOKEN in the outbox; at least 32 characters',
  resource: undefined,
  ...hidden,
  plain: '',
  isFromOutside: true,
};

/**
 * A URL without user, password and parts that may be secret, including those hidden in defaults of references. `hidesPath` removes a path
 * that may be secret, such as a webhook path; by default, paths are only removed if they contain a token.
 */
function withoutSecrets(url: string, hidesPath = tokensInPaths(url).length > 0): Shown {
  const references: string[] = [];
  // References are replaced by their index between two NUL characters, which no URL contains: a default may look like any part of a URL.
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
    // Options of third-party APIs contain their keys.
    isSecret: example !== url || (!isJdbc && query < marked.length),
    isWhole:
      address === whole &&
      options.every((option) => option === '' || shown.includes(option) || (isJdbc && isAccount(option))),
  };
}

/** An issuer is a URL or any other string. */
function issuerShown(issuer: string): Shown {
  return issuer.includes('://') ? withoutSecrets(issuer) : shown(issuer);
}

/**
 * Human-readable path segments: `v1`, `rest`, `order-items`, and references. Tokens mix digits and letters, contain capitals, or are very
 * long.
 */
const plainSegment = /^(?:v?\d{1,2}(?:\.\d{1,2})*|[a-z]{1,12}\d?(?:[-_.][a-z]{1,12}\d?)*|\0\d+\0)?$/;

/** The URL, cut off after its host if a path segment may be a secret. */
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

/** The user and password of a database have separate variables. */
function isAccount(option: string): boolean {
  return /^(?:user|password)=/.test(option);
}

/** Whether an option only refers to the environment, without a default: `appid=${KEY}`. */
function isReference(option: string): boolean {
  return /^[^=]*=\$\{\w+\}$/.test(option);
}
