/** Values that the parameter of their statement never accepts, as its database reports. */
import { ordinaryError } from '../../diagnostics/catalogue/entry-messages.js';
import { nearest } from '../../diagnostics/suggest.js';
import type { Expression } from '../../expression/ast.js';
import type { DatabaseType } from '../../sql/statement-description.js';
import { typeOf } from '../../types/infer.js';
import { wordsOf } from '../../types/join-types.js';
import type { Kind, ValueType } from '../../types/value-type.js';
import type { Environment } from '../../types/visible-values.js';
import { rule } from '../rule.js';

export const valueNeverFits = rule(
  {
    'value-never-fits': ordinaryError(
      (p: { type: string; labels: readonly string[] | undefined; nearest: string | undefined }) => ({
        message: `This value never matches the type ${p.type}.`,
        hint:
          p.labels === undefined
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
          if (neverMatches(typeOf(bound, environment), type))
            report('value-never-fits', bound.span, {
              ...{ type: type.name, labels: type.labels },
              nearest: nearestLabel(typeOf(bound, environment), type),
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
  if (name === 'uuid')
    return kind === 'string' && matchesSome((text) => /^\{?[\da-f-]{32,36}\}?$/i.test(text));
  return true;
}
