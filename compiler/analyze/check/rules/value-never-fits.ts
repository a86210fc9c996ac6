/** Values that the parameter of their statement never accepts, as its database reports. */
import { ordinaryError } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { nearest } from '../../../read/diagnostics/suggest.js';
import type { Expression, Path, Syntax } from '../../../read/expression/ast.js';
import { printExpression } from '../../../read/expression/print-expression.js';
import type { DatabaseType } from '../../../read/sql/statement-description.js';
import { typeOf } from '../../types/infer.js';
import { wordsOf } from '../../types/join-types.js';
import type { Kind, ValueType } from '../../types/value-type.js';
import type { Environment } from '../../types/visible-values.js';
import { rule } from '../rule.js';

/** Ranges, with the types of their elements: the parameter in `range @> :[…]` is a range, although an element may be meant. */
const rangeElements: ReadonlyMap<string, string> = new Map([
  ...([
    ['int4range', 'int4'],
    ['int8range', 'int8'],
    ['numrange', 'numeric'],
  ] as const),
  ...([
    ['daterange', 'date'],
    ['tsrange', 'timestamp'],
    ['tstzrange', 'timestamptz'],
  ] as const),
]);

export const valueNeverFits = rule(
  {
    'value-never-fits': ordinaryError(
      (p: {
        type: string;
        labels: readonly string[] | undefined;
        nearest: string | undefined;
        /** A field of the result, where the value is a whole one. */
        field: string | undefined;
      }) => ({
        message:
          p.field === undefined
            ? `This value never matches the type ${p.type}.`
            : `A whole result never matches the type ${p.type}.`,
        hint:
          p.field !== undefined
            ? `Write a field of it: ${p.field}`
            : rangeElements.has(p.type)
              ? `Write a range as a string, such as '[1,5)', or cast the value to the type of the range's elements: :[…]::${rangeElements.get(p.type) ?? ''}.`
              : p.labels === undefined
                ? `Write a value of type ${p.type}, or compare with a column of another type.`
                : `${p.nearest === undefined ? 'Write one of its values:' : `Did you mean '${p.nearest}'? Its values are`} ${p.labels.map((label) => `'${label}'`).join(', ')}.`,
      }),
    ),
  },
  ({ analysis, report }) => {
    let environments: ReadonlyMap<Expression, Environment> | undefined;
    return {
      operation: () => {
        environments = undefined;
      },
      statement: (statement, { analyzed }) => {
        const described = analysis.descriptions.of(statement);
        if (described === undefined || !('description' in described.result)) return;
        environments ??= new Map(
          analyzed.flow.evaluations.map(({ expression, environment }) => [expression, environment]),
        );
        const { parameters } = described.result.description;
        for (const [index, bound] of described.asked.bindings.entries()) {
          const [type, environment] = [parameters[index], environments.get(bound)];
          if (type === undefined || environment === undefined) continue;
          const value = typeOf(bound, environment);
          const isList = described.asked.lists.has(index) || type.element !== undefined;
          const field = isRowsForScalar(value, type)
            ? fieldOf(bound, value, type, isList, analyzed.operation.syntax)
            : undefined;
          if (field !== undefined || neverMatches(value, type))
            report('value-never-fits', bound.span, {
              ...{ type: type.name, labels: type.labels, field },
              nearest: nearestLabel(value, type),
            });
        }
      },
    };
  },
);

/** The value of an enumeration that is nearly the one that is written. */
function nearestLabel(value: ValueType, { labels }: DatabaseType): string | undefined {
  const [word, other] = wordsOf(value) ?? [];
  return word === undefined || other !== undefined || labels === undefined
    ? undefined
    : nearest(word, labels);
}

/** Null matches wherever a value may be missing, and proves nothing. */
function neverMatches(value: ValueType, type: DatabaseType): boolean {
  const kinds = [...value.kinds].filter((kind) => kind !== 'null');
  return kinds.length > 0 && kinds.every((kind) => !matches(kind, value, type));
}

const scalars = /^(?:bool|uuid|date|time|timetz|timestamp|timestamptz|interval)$/;

/** Rows for a column or list of columns of single values. A column of strings takes them as JSON. */
function isRowsForScalar({ isRows, kinds }: ValueType, { element, ...own }: DatabaseType): boolean {
  const { name, labels } = element ?? own;
  const isOther = [...kinds].some((kind) => kind !== 'null' && kind !== 'array');
  return isRows === true && !isOther && (labels !== undefined || numbers.has(name) || scalars.test(name));
}

/** The field of the first row, or of all rows, that may be meant: one of that type, first of all its id. */
function fieldOf(
  bound: Expression,
  { element }: ValueType,
  type: DatabaseType,
  isList: boolean,
  syntax: Syntax,
): string | undefined {
  const names = element?.fields?.names ?? [];
  const isSame = (name: string): boolean =>
    element?.fields?.typeOf(name)?.column === (type.element ?? type).name;
  const same = names.filter(isSame);
  const name = same.includes('id') ? 'id' : (same[0] ?? names[0] ?? 'id');
  const path: Path = [...(isList ? [{ kind: 'all' } as const] : []), { kind: 'name', name }];
  if (bound.kind === 'result')
    return printExpression(
      { kind: 'value', name: bound.name, nameSpan: bound.span, path, span: bound.span },
      syntax,
    );
  return bound.kind === 'value' ? printExpression({ ...bound, path }, syntax) : undefined;
}

const numbers = new Set(['int2', 'int4', 'int8', 'oid', 'numeric', 'float4', 'float8']);

function matches(kind: Kind, value: ValueType, { name, labels }: DatabaseType): boolean {
  const texts = wordsOf(value);
  const matchesSome = (isRight: (text: string) => boolean): boolean =>
    texts === undefined || [...texts].some((text) => isRight(text.trim()));
  if (labels !== undefined)
    return kind === 'string' ? matchesSome((text) => labels.includes(text)) : kind !== 'boolean';
  if (numbers.has(name)) {
    if (kind === 'boolean') return false;
    return kind !== 'string' || matchesSome((text) => /^[-+]?[\d.]|^(?:nan|[-+]?inf)/i.test(text));
  }
  if (rangeElements.has(name)) return kind === 'string';
  if (name === 'uuid')
    return kind === 'string' && matchesSome((text) => /^\{?[\da-f-]{32,36}\}?$/i.test(text));
  return true;
}
