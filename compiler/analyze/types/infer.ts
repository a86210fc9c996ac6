/** Infers the type of every expression, in both syntaxes. Checks and emitters build on this. */
import type { Expression, Path, Step } from '../../read/expression/ast.js';
import { isParameter } from '../../read/expression/visit.js';
import type { Fields, ValueType } from './value-type.js';
import type { Environment } from './visible-values.js';
import {
  anyObject,
  arrayOf,
  booleanValue,
  constantOf,
  count,
  nowValue,
  nullValue,
  entry,
  failure,
  row,
  status,
  textValue,
  unknownValue,
  uuidValue,
} from './known-types.js';
import { errorType } from './error-type.js';
import { either, orNull, withoutNull } from './join-types.js';

/** Whether a value is a list or an object, and never a value with text. */
export function isNeverText(expression: Expression, environment: Environment): boolean {
  const { kinds } = typeOf(expression, environment);
  const isText = kinds.has('string') || kinds.has('number') || kinds.has('boolean');
  return !isText && (kinds.has('array') || kinds.has('object'));
}

/** The possible values of the expression in an environment of readable values. */
export function typeOf(expression: Expression, environment: Environment): ValueType {
  switch (expression.kind) {
    case 'text':
    case 'number':
    case 'boolean':
      return constantOf(expression.value);
    case 'null':
      return nullValue;
    case 'param':
      return typeAt(environment.request.param(expression.name), expression.path);
    case 'sent':
      return expression.place === 'query' ? unknownValue : orNull(textValue);
    case 'query-map':
      return anyObject;
    case 'body':
      return typeAt(environment.request.body, expression.path);
    case 'caller':
    case 'value-by-index':
      return unknownValue;
    case 'multipart-file':
      return typeOfFile(expression.path);
    case 'error':
      return typeAt(errorType, expression.path);
    case 'value':
      return typeAt(environment.result(expression.name).type, expression.path);
    case 'result':
      return environment.result(expression.name).type;
    case 'element':
      return typeAt(environment.element.type, expression.path);
    case 'list':
      return arrayOf(count);
    case 'size':
      return sizeOf(typeOf(expression.of, environment));
    case 'status':
    case 'status-by-index':
      return status;
    case 'failure':
    case 'failure-by-index':
      return failure;
    case 'random':
    case 'hash':
    case 'token':
      return textValue;
    case 'sha256':
    case 'lower':
      return ofText(typeOf(expression.of, environment), textValue);
    case 'length':
      return ofText(typeOf(expression.of, environment), count);
    case 'arithmetic':
      return orNull(count);
    case 'paging':
      return orNull(expression.fact === 'total' || expression.fact === 'pages' ? count : textValue);
    case 'code':
      return environment.functionResult(expression.function);
    case 'next':
    case 'response-header':
    case 'address':
      return orNull(textValue);
    case 'now':
      return nowValue;
    case 'uuid':
      return uuidValue;
    case 'concat':
      return textAround(expression.parts);
    case 'variable':
      return [textValue, ...expression.byDefault.map((one) => typeOf(one, environment))].reduce(either);
    case 'coalesce':
      return firstOf(expression.parts.map((part) => typeOf(part, environment)));
    case 'verify':
    case 'outdated':
    case 'if-match':
    case 'comparison':
    case 'logical':
    case 'not':
      return booleanValue;
  }
}

/** A function of strings: null for null, lists and objects. */
function ofText({ kinds }: ValueType, result: ValueType): ValueType {
  const hasText = kinds.has('string') || kinds.has('number') || kinds.has('boolean');
  if (!hasText) return nullValue;
  return kinds.has('null') || kinds.has('array') || kinds.has('object') ? orNull(result) : result;
}

/** The string returned by CONCAT: it begins and ends with the constants there, with any string in between. */
function textAround(parts: readonly Expression[]): ValueType {
  const constants = parts.map((part) =>
    part.kind === 'text' || part.kind === 'number' ? String(part.value) : undefined,
  );
  const example = constants.join('');
  if (example === '') return textValue;
  const [first, last] = [constants.indexOf(undefined), constants.lastIndexOf(undefined)];
  if (first === -1) return { ...textValue, form: { fits: (text) => text === example, example } };
  const [start, end] = [constants.slice(0, first).join(''), constants.slice(last + 1).join('')];
  const fits = (text: string): boolean =>
    text.length >= start.length + end.length && text.startsWith(start) && text.endsWith(end);
  return { ...textValue, form: { fits, example } };
}

/** The file itself, or its name, type or size. */
function typeOfFile([step, ...others]: Path): ValueType {
  if (step?.kind === 'all') {
    const [field] = others;
    return field?.kind === 'name' ? arrayOf(field.name === 'size' ? count : textValue) : unknownValue;
  }
  if (step?.kind !== 'name') return unknownValue;
  return orNull(step.name === 'size' ? count : textValue);
}

/** COALESCE of values of these types: null only if all can be null. */
function firstOf([type = nullValue, ...others]: readonly ValueType[]): ValueType {
  if (others.length === 0 || !type.kinds.has('null')) return type;
  const rest = firstOf(others);
  return type.kinds.size === 1 ? rest : either(withoutNull(type), rest);
}

/** SIZE of a value of that type: 0 for null, the number of fields for an object, 1 for any other value that is not an array. */
function sizeOf({ kinds }: ValueType): ValueType {
  if (kinds.has('array') || kinds.has('object')) return count;
  if (!kinds.has('null')) return constantOf(1);
  return kinds.size === 1 ? constantOf(0) : count;
}

/** The type at a path into a value of that type. On an array, a field name reads from the first element. */
export function typeAt(type: ValueType, path: Path): ValueType {
  const found = certainTypeAt(type, path);
  const isOne = path.every(({ kind }) => kind !== 'all');
  return withClaim(found, type, (claimed) => certainTypeAt(claimed, path), isOne ? path : undefined);
}

/** Applies a claim about a value to the values inside it. */
function withClaim(
  found: ValueType,
  { claim }: ValueType,
  part: (claimed: ValueType) => ValueType,
  inner: Path | undefined,
): ValueType {
  if (claim === undefined) return found;
  const path = claim.path && inner && [...claim.path, ...inner];
  return { ...found, claim: { ...claim, type: part(claim.type), path } };
}

function certainTypeAt(type: ValueType, path: Path): ValueType {
  let found = type;
  for (const [index, step] of path.entries()) {
    if (step.kind === 'all') return typeOfAll(found, path.slice(index + 1));
    found = typeBehind(found, step);
  }
  return found;
}

/** `[*]` always returns a list; null if there is no array. */
function typeOfAll({ kinds, element = unknownValue }: ValueType, rest: Path): ValueType {
  if (!kinds.has('array')) return nullValue;
  const list = arrayOf(rest.some(({ kind }) => kind === 'all') ? unknownValue : typeAt(element, rest));
  return kinds.size === 1 ? list : orNull(list);
}

function typeBehind(type: ValueType, step: Exclude<Step, { kind: 'all' }>): ValueType {
  const { kinds, element } = type;
  if (step.kind === 'index') return kinds.has('array') ? orNull(element ?? unknownValue) : nullValue;
  // A name reads a field of an object, or of the first element, which may not exist.
  const ofFirst = element === undefined ? unknownValue : orNull(typeBehind(element, step));
  const inArray = kinds.has('array') ? ofFirst : undefined;
  const inObject = kinds.has('object') ? typeOfField(type.fields, step.name) : undefined;
  const found = inArray && inObject ? either(inArray, inObject) : (inArray ?? inObject);
  if (found === undefined) return nullValue;
  const isOther = [...kinds].some((kind) => kind !== 'array' && kind !== 'object');
  return isOther ? orNull(found) : found;
}

/** A field that cannot exist has its own diagnostic, so its type is unknown to avoid others. */
function typeOfField(fields: Fields | undefined, name: string): ValueType {
  return fields?.typeOf(name) ?? unknownValue;
}

/** The type of the elements of a LOOP or a `list`: an object has elements with `key` and `val`, and a single value of a parameter is the element. */
export function elementIn(list: Expression, environment: Environment): ValueType {
  const type = typeOf(list, environment);
  const isAlwaysList = [...type.kinds].every(
    (kind) => kind === 'array' || kind === 'object' || kind === 'null',
  );
  return isAlwaysList || !isParameter(list) ? elementOf(type) : unknownValue;
}

export function elementOf(type: ValueType): ValueType {
  return withClaim(certainElementOf(type), type, certainElementOf, [{ kind: 'all' }]);
}

function certainElementOf({ kinds, element = unknownValue, fields }: ValueType): ValueType {
  if (!kinds.has('object')) return element;
  // Iterating over the fields of a single row is probably a mistake, for which there is a separate rule.
  if (fields?.origin.kind === 'rows') return row;
  return kinds.has('array') ? either(element, entry) : entry;
}
