/** Values that a request sends, beside the schemas of a third party's description. */
import { isJsonNumber } from '../../../runtime/handler/decimal.js';
import type { Schema } from '../../read/config/config-model.js';
import type { ApiSchema, ApiType } from '../../read/openapi/api-model.js';
import { boundError } from '../../read/openapi/literal-values.js';
import { branchesOf, elementsOf, expectsOthers } from '../../read/openapi/schema-part.js';
import type { Span } from '../../read/source.js';
import type { Kind, ValueType } from '../types/value-type.js';

export type SentProblem =
  | {
      readonly kind: 'unknown';
      readonly span: Span;
      readonly name: string;
      readonly names: readonly string[];
      /** The names that are not sent: one of them may be meant. */
      readonly free: readonly string[];
    }
  | {
      readonly kind: 'missing';
      readonly span: Span;
      readonly name: string;
      readonly schema: ApiSchema | undefined;
    }
  | WrongValue;

export interface WrongValue {
  readonly kind: 'wrong';
  readonly span: Span;
  readonly problem: string;
  /** As it is written; undefined for a value that is not constant. */
  readonly written: string | undefined;
  /** All that the description allows, where it is a list. */
  readonly allowed: readonly string[];
}

/** How values are sent: a form has texts alone. */
export interface SentAs {
  readonly isText: boolean;
  /** The type of each part of the notation. */
  readonly typeOf: (schema: Schema) => ValueType | undefined;
}

/** `span`: where the value is named, for what is missing in it. */
export function problemsOf(sent: Schema, described: ApiSchema, span: Span, as: SentAs): SentProblem[] {
  const kinds = kindsOf(described);
  switch (sent.kind) {
    case 'leaf': {
      const type = sent.isFaulty === true ? undefined : as.typeOf(sent);
      return type === undefined ? [] : leafProblems(type, described, sent.value.span, as.isText);
    }
    case 'array': {
      if (kinds?.has('array') === false) return as.isText ? [] : [ofOtherType(span, 'a list', kinds)];
      const [items, ...others] = branchesOf(described).flatMap(elementsOf);
      return items === undefined || others.length > 0 ? [] : problemsOf(sent.item, items, sent.list.span, as);
    }
    case 'object':
      if (kinds?.has('object') === false) return [ofOtherType(span, 'a map', kinds)];
      return [...missingIn(sent, described, span), ...fieldProblems(sent, described, as)];
  }
}

type SentObject = Extract<Schema, { kind: 'object' }>;

function fieldProblems({ fields }: SentObject, described: ApiSchema, as: SentAs): SentProblem[] {
  const branches = branchesOf(described);
  const names = namesOf(branches);
  const sent = new Set(fields.map(({ key }) => key));
  return fields.flatMap(({ key, span, value }): SentProblem[] => {
    // Forms name the parts of a value as `metadata[order]`.
    const name = as.isText && !names.includes(key) ? key.replace(/\[.*$/s, '') : key;
    const schemas = branches.flatMap(({ properties }) => properties.get(name) ?? []);
    if (schemas.length === 0)
      return names.length === 0 || branches.some(expectsOthers)
        ? []
        : [{ kind: 'unknown', span, name: key, names, free: names.filter((one) => !sent.has(one)) }];
    if (name !== key) return [];
    const found = schemas.map((schema) => problemsOf(value, schema, span, as));
    return found.some((one) => one.length === 0) ? [] : (found[0] ?? []);
  });
}

function missingIn({ fields }: SentObject, described: ApiSchema, span: Span): SentProblem[] {
  const sent = new Set(fields.flatMap(({ key }) => [key, key.replace(/\[.*$/s, '')]));
  return requiredIn(described)
    .filter(({ name }) => !sent.has(name))
    .map(({ name, schema }) => ({ kind: 'missing', span, name, schema }));
}

/** The required properties of requests: those of alternatives are not, of which one is chosen. */
export function requiredIn(
  described: ApiSchema,
  seen = new Set<ApiSchema>(),
): { readonly name: string; readonly schema: ApiSchema | undefined }[] {
  if (seen.has(described)) return [];
  seen.add(described);
  const { required, properties, allOf } = described;
  const own = required
    .map((name) => ({ name, schema: properties.get(name) }))
    .filter(({ schema }) => schema?.readOnly !== true && schema?.default === undefined);
  return [...own, ...allOf.flatMap((part) => requiredIn(part, seen))];
}

function namesOf(branches: readonly ApiSchema[]): string[] {
  return [...new Set(branches.flatMap(({ properties }) => [...properties.keys()]))];
}

function leafProblems(type: ValueType, described: ApiSchema, span: Span, isText: boolean): SentProblem[] {
  const { constant } = type;
  if (constant === null && isText) return [];
  if (constant !== undefined) {
    const problem = isText ? textProblem(String(constant), described) : constantProblem(constant, described);
    return problem === undefined ? [] : [wrong(span, problem, String(constant), described)];
  }
  const kinds = kindsOf(described);
  if (isText || kinds === undefined || [...type.kinds].some((kind) => kinds.has(kind))) return [];
  // Digits that a double cannot carry are sent as a number.
  return type.isExactNumber === true ? [] : [ofOtherType(span, named([...type.kinds]), kinds)];
}

function ofOtherType(span: Span, written: string, kinds: ReadonlySet<Kind>): WrongValue {
  const problem = `it is ${written}, and must be ${named([...kinds])}`;
  return { kind: 'wrong', span, problem, written: undefined, allowed: [] };
}

export function wrong(span: Span, problem: string, written: string, described: ApiSchema): WrongValue {
  const allowed = branchesOf(described)
    .flatMap((one) => one.enum ?? [])
    .map(String);
  return { kind: 'wrong', span, problem, written, allowed };
}

/** The problem of a text of a URL or form; undefined where it may be fine. */
export function textProblem(text: string, described: ApiSchema): string | undefined {
  const kinds = kindsOf(described);
  if (kinds === undefined || kinds.has('array') || kinds.has('object')) return undefined;
  if (kinds.has('string')) return constantProblem(text, described);
  if (kinds.has('number') && isJsonNumber(text)) return constantProblem(Number(text), described);
  if (kinds.has('boolean') && /^(?:true|false)$/.test(text))
    return constantProblem(text === 'true', described);
  return `it must be ${named([...kinds])}`;
}

/** The problem of a constant; undefined where the schema allows it, as far as it is compared here. */
function constantProblem(
  value: string | number | boolean | null,
  described: ApiSchema,
  open = new Set<ApiSchema>(),
): string | undefined {
  if (open.has(described)) return undefined;
  open.add(described);
  const { types, nullable, allOf, anyOf, oneOf, enum: values } = described;
  if (value === null && nullable === true) return undefined;
  const isOfType =
    types?.some((type) =>
      type === 'integer' ? Number.isInteger(value) : kindOf(type) === kindOfValue(value),
    ) ?? true;
  if (!isOfType)
    return `it is ${named([kindOfValue(value)])}, and must be ${named((types ?? []).map(kindOf))}`;
  if (values !== undefined || value !== null) {
    const problem = boundError(value, described);
    if (problem !== undefined) return problem;
  }
  for (const part of allOf) {
    const problem = constantProblem(value, part, open);
    if (problem !== undefined) return problem;
  }
  for (const alternatives of [anyOf, oneOf]) {
    const problems = alternatives.map((one) => constantProblem(value, one, open));
    if (problems.length > 0 && problems.every((problem) => problem !== undefined)) return problems[0];
  }
  return undefined;
}

/** The kinds of JSON that a schema allows; undefined where they are unknown. */
export function kindsOf(described: ApiSchema, open = new Set<ApiSchema>()): ReadonlySet<Kind> | undefined {
  if (open.has(described)) return undefined;
  open.add(described);
  const { types, nullable, allOf, anyOf, oneOf, properties } = described;
  const isObject = types === undefined && properties.size > 0;
  const own = isObject ? new Set<Kind>(['object']) : types && new Set(types.map(kindOf));
  const alternatives = [anyOf, oneOf].filter((list) => list.length > 0).map((list) => union(list, open));
  const all = [own, ...alternatives, ...allOf.map((part) => kindsOf(part, open))].filter(
    (kinds) => kinds !== undefined,
  );
  open.delete(described);
  const [first, ...others] = all;
  if (first === undefined) return undefined;
  const kinds = new Set([...first].filter((kind) => others.every((other) => other.has(kind))));
  if (nullable === true) kinds.add('null');
  return kinds;
}

function union(schemas: readonly ApiSchema[], open: Set<ApiSchema>): ReadonlySet<Kind> | undefined {
  const all = schemas.map((schema) => kindsOf(schema, open));
  return all.includes(undefined) ? undefined : new Set(all.flatMap((kinds) => [...(kinds ?? [])]));
}

function kindOf(type: ApiType): Kind {
  return type === 'integer' ? 'number' : type;
}

function kindOfValue(value: string | number | boolean | null): Kind {
  if (value === null) return 'null';
  const kind = typeof value;
  return kind === 'string' || kind === 'number' ? kind : 'boolean';
}

const names: Readonly<Record<Kind, string>> = {
  ...{ null: 'null', boolean: 'true or false', number: 'a number', string: 'a string' },
  ...{ array: 'a list', object: 'a map' },
};

/** `a string or a number`. */
export function named(kinds: readonly Kind[]): string {
  return [...new Set(kinds)].map((kind) => names[kind]).join(' or ');
}
