/** Compares values that a request sends, or that a third party returns, with the schemas in the third party's description. */
import { isJsonNumber } from '../../../runtime/handler/decimal.js';
import type { ApiSchema, ApiType } from '../../read/openapi/api-model.js';
import { boundError, noneOf } from '../../read/openapi/literal-values.js';
import { branchesOf, elementsOf, expectsOthers } from '../../read/openapi/schema-part.js';
import type { Span } from '../../read/source.js';
import { kindOf, kindsOf } from '../types/described-kinds.js';
import type { Kind, ValueType } from '../types/value-type.js';

export type SentProblem =
  | {
      readonly kind: 'unknown';
      readonly span: Span;
      readonly name: string;
      readonly names: readonly string[];
      /** The names that are not sent, one of which may be intended. */
      readonly free: readonly string[];
      /** Whether the description forbids other names. */
      readonly isClosed: boolean;
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
  /** The value as written; undefined if it is not constant. */
  readonly written: string | undefined;
  /** All allowed values, if the description lists them. */
  readonly allowed: readonly string[];
}

/** A sent value, as far as it is known. `span` is the position of its name. */
export type Sent =
  /** `type` is undefined if the value must not be checked. */
  | { readonly kind: 'leaf'; readonly span: Span; readonly type: ValueType | undefined }
  | { readonly kind: 'array'; readonly span: Span; readonly items: readonly Sent[] }
  | { readonly kind: 'object'; readonly span: Span; readonly fields: readonly SentField[] };

export interface SentField {
  readonly key: string;
  readonly span: Span;
  readonly value: Sent;
}

type SentObject = Extract<Sent, { kind: 'object' }>;

/**
 * How values are transmitted: as JSON, in a form (strings only), or as a result of the third party, which may be part of a larger value.
 */
export type SentAs = 'json' | 'form' | 'result';

export function problemsOf(sent: Sent, described: ApiSchema, as: SentAs): readonly SentProblem[] {
  const kinds = kindsOf(described);
  const { span } = sent;
  switch (sent.kind) {
    case 'leaf':
      return sent.type === undefined ? [] : leafProblems(sent.type, described, span, as === 'form');
    case 'array': {
      if (kinds?.has('array') === false) return as === 'form' ? [] : [ofOtherType(span, 'a list', kinds)];
      const elements = branchesOf(described).flatMap(elementsOf);
      return sent.items.flatMap((item) => problemsOfAll(item, elements, as));
    }
    case 'object':
      if (kinds?.has('object') === false) return [ofOtherType(span, 'a map', kinds)];
      return [...(as === 'result' ? [] : missingIn(sent, described)), ...fieldProblems(sent, described, as)];
  }
}

function fieldProblems({ fields }: SentObject, described: ApiSchema, as: SentAs): SentProblem[] {
  const branches = branchesOf(described);
  const names = namesOf(branches);
  const isClosed = branches.some(({ additionalProperties }) => additionalProperties === false);
  const sent = new Set(fields.map(({ key }) => key));
  const free = names.filter((one) => !sent.has(one));
  return fields.flatMap(({ key, span, value }): readonly SentProblem[] => {
    // In forms, parts of a value are named `metadata[order]`.
    const name = as === 'form' && !names.includes(key) ? key.replace(/\[.*$/s, '') : key;
    const schemas = branches.flatMap(({ properties }) => properties.get(name) ?? []);
    if (schemas.length === 0)
      return names.length === 0 || branches.some(expectsOthers)
        ? []
        : [{ kind: 'unknown', span, name: key, names, free, isClosed }];
    return name === key ? problemsOfAll(value, schemas, as) : [];
  });
}

/** The problems of a value with several possible schemas: empty if one of them allows the value, otherwise the problems common to all. */
function problemsOfAll(sent: Sent, schemas: readonly ApiSchema[], as: SentAs): readonly SentProblem[] {
  const [first = [], ...others] = schemas.map((schema) => problemsOf(sent, schema, as));
  if (first.length === 0 || others.some((problems) => problems.length === 0)) return [];
  const shared = first.flatMap((problem): SentProblem[] => {
    const same = others.map((problems) => problems.find((other) => isSame(problem, other)));
    return same.includes(undefined) ? [] : [same.reduce<SentProblem>(withNamesOf, problem)];
  });
  return shared.length > 0 ? shared : first;
}

function isSame(one: SentProblem, other: SentProblem): boolean {
  const isSamePlace = one.span.start === other.span.start && one.span.source === other.span.source;
  return isSamePlace && one.kind === other.kind && nameOf(one) === nameOf(other);
}

function nameOf(problem: SentProblem): string {
  return 'name' in problem ? problem.name : '';
}

/** Combines the suggestions of both schemas: an intended name or value may be in either. */
function withNamesOf(problem: SentProblem, other: SentProblem | undefined): SentProblem {
  const both = (one: readonly string[], more: readonly string[]): string[] => [...new Set([...one, ...more])];
  if (problem.kind === 'unknown' && other?.kind === 'unknown')
    return { ...problem, names: both(problem.names, other.names), free: both(problem.free, other.free) };
  if (problem.kind === 'wrong' && other?.kind === 'wrong') {
    const allowed = both(problem.allowed, other.allowed);
    const isListed = problem.allowed.length > 0 && other.allowed.length > 0;
    return { ...problem, allowed, ...(isListed && { problem: noneOf(allowed) }) };
  }
  return problem;
}

function missingIn({ fields, span }: SentObject, described: ApiSchema): SentProblem[] {
  const sent = new Set(fields.flatMap(({ key }) => [key, key.replace(/\[.*$/s, '')]));
  return requiredIn(described)
    .filter(({ name }) => !sent.has(name))
    .map(({ name, schema }) => ({ kind: 'missing', span, name, schema }));
}

/** The required properties of a request. Those of alternatives do not count, because only one alternative is chosen. */
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
  // Numbers that a double cannot represent are sent as numbers.
  const sent = new Set([...type.kinds, ...(type.isExactNumber === true ? ['number' as const] : [])]);
  if (isText || kinds === undefined || [...sent].some((kind) => kinds.has(kind))) return [];
  return [ofOtherType(span, named([...sent]), kinds)];
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

/** The problem with a string in a URL or form; undefined if it may be valid. */
export function textProblem(text: string, described: ApiSchema): string | undefined {
  const kinds = kindsOf(described);
  if (kinds === undefined || kinds.has('array') || kinds.has('object')) return undefined;
  // The third party may read each of these values from the string.
  const values: (string | number | boolean)[] = kinds.has('string') ? [text] : [];
  if (kinds.has('number') && isJsonNumber(text)) values.push(Number(text));
  if (kinds.has('boolean') && /^(?:true|false)$/.test(text)) values.push(text === 'true');
  if (values.length === 0) return `it must be ${named([...kinds])}`;
  const problems = values.map((value) => constantProblem(value, described));
  return problems.includes(undefined) ? undefined : problems[0];
}

/** The problem of a constant; undefined where the schema allows it, as far as it is compared here. */
export function constantProblem(
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
  if (!isOfType) return `it is ${names[kindOfValue(value)]}, and must be ${namedTypes(types ?? [])}`;
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

function kindOfValue(value: string | number | boolean | null): Kind {
  if (value === null) return 'null';
  const kind = typeof value;
  return kind === 'string' || kind === 'number' ? kind : 'boolean';
}

const names: Readonly<Record<Kind, string>> = {
  ...{ null: 'null', boolean: 'true or false', number: 'a number', string: 'a string' },
  ...{ array: 'a list', object: 'a map' },
};

function namedTypes(types: readonly ApiType[]): string {
  return [...new Set(types)].map((type) => (type === 'integer' ? 'an integer' : names[type])).join(' or ');
}

/** Lists kinds in a sentence: `a string or a number`. */
export function named(kinds: readonly Kind[]): string {
  return [...new Set(kinds)].map((kind) => names[kind]).join(' or ');
}
