/** Checks joins: their form, their use, and the types of their columns. */
import { error, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Edit } from '../../../read/diagnostics/fix.js';
import type { Expression } from '../../../read/expression/ast.js';
import type { Span, WithSpan } from '../../../read/source.js';
import { describedFields, type DescribedField } from '../../mapping/body-parts.js';
import { describedBody } from '../../mapping/described.js';
import { namesRead } from '../../mapping/entries.js';
import { allowsNull } from '../../mapping/shape.js';
import { conjunctsOf, type Join, type JoinSide } from '../../mapping/written-joins.js';
import type { AnalyzedOperation } from '../../operations/analyzed-operation.js';
import type { WrittenJoin } from '../../operations/validate-joins.js';
import { typeAt } from '../../types/infer.js';
import { equalityOf } from '../../types/key-equality.js';
import type { ValueType } from '../../types/value-type.js';
import type { Environment } from '../../types/visible-values.js';
import { descriptionRule, rule } from '../rule.js';
import { isUseKnown } from '../use-of-mappings.js';
import { quotedList } from '../../../read/diagnostics/quoted-list.js';
import { isStatement } from '../../../read/config/walk.js';
import { words } from '../../../read/diagnostics/marks.js';

/** Reports joins that do not have the form `a.x == b.y`. */
export const wrongJoin = rule(
  {
    'wrong-join': error(
      { problem: 'sentence', hint: 'sentence' },
      (p: { problem: string; hint: string; edits?: readonly Edit[] | undefined }) => ({
        message: p.problem,
        hint: p.hint,
        edits: p.edits,
      }),
    ),
  },
  ({ analysis, report }) => ({
    operation: (_, { analyzed }) => {
      const several = new Set(analyzed.joins.written.flatMap(({ whole }) => whole ?? []));
      for (const whole of several) {
        report('wrong-join', whole.span, {
          problem: 'Several conditions in one join.',
          hint: 'Write a list with one condition in each item: all of them must match.',
          edits: asList(whole),
        });
      }
      for (const written of analyzed.joins.written) {
        if (written.join !== undefined) continue;
        const { span, problem, hint } = problemOf(written);
        // Unreadable parts have been reported.
        if (analysis.errorSpans.some((errorSpan) => overlaps(errorSpan, span))) continue;
        report('wrong-join', span, { problem, hint });
      }
    },
  }),
);

interface JoinProblem {
  readonly span: Span;
  readonly problem: string;
  readonly hint: string;
}

function overlaps(errorSpan: Span, { source, start, end }: Span): boolean {
  return errorSpan.source === source && errorSpan.start < end && errorSpan.end > start;
}

function writtenAt({ source, start, end }: Span): string {
  return source.text.slice(start, end);
}

/** The problem with a condition that is not a join, and a suggestion. */
function problemOf({ condition, fulfillment }: WrittenJoin): JoinProblem {
  const own = fulfillment.name.value;
  const { span } = condition;
  if (condition.kind === 'logical') {
    return {
      span,
      problem: "A join cannot have '||'.",
      hint: `Join in the SQL of one query, with ON ${writtenAt(span).replaceAll('==', '=').replaceAll('||', 'OR').replaceAll('&&', 'AND')}.`,
    };
  }
  if (condition.kind !== 'comparison') {
    const name = condition.kind === 'value' || condition.kind === 'result' ? condition.name : 'news';
    const side = condition.kind === 'value' && condition.path.length === 1 ? writtenAt(span) : `${name}.id`;
    return {
      span,
      problem: 'A join compares two fields.',
      hint: `Write, for example, ${side} == ${name === own ? '<fulfillment>' : own}.<field>.`,
    };
  }
  if (condition.operator !== '==') {
    return {
      span,
      problem: `A join compares with ==, not with ${condition.operator}.`,
      hint: 'Write ==, or compare in the SQL of the query, with WHERE.',
    };
  }
  const side = [condition.left, condition.right].find(isNotField) ?? condition;
  return {
    span: side.span,
    ...problemOfSide(side, side === condition.left ? condition.right : condition.left, own),
  };
}

function isNotField(side: Expression): boolean {
  return side.kind !== 'value' || side.path.length !== 1 || side.path[0]?.kind !== 'name';
}

function problemOfSide(side: Expression, other: Expression, own: string): Omit<JoinProblem, 'span'> {
  const written = writtenAt(side.span);
  if (side.kind === 'result') {
    return { problem: `'${written}' is a whole result, not a field.`, hint: `Write a field: ${written}.id` };
  }
  if (side.kind === 'value') {
    const hint = `Select the value as a separate column in the SQL of '${side.name}', and write ${side.name}.<column>.`;
    return { problem: `'${written}' is inside a column; a join compares columns.`, hint };
  }
  return {
    problem: `'${written}' is not a field of a fulfillment.`,
    hint: `Compare with it in the SQL of '${other.kind === 'value' ? other.name : own}': WHERE ${other.kind === 'value' && other.path[0]?.kind === 'name' ? other.path[0].name : 'id'} = :[${written}].`,
  };
}

/** Edits that turn the conditions into a list; undefined unless they are on one line without quotes. */
function asList({ value: condition, span }: WithSpan<Expression>): Edit[] | undefined {
  const { source, scalar } = span;
  const conjuncts = conjunctsOf(condition);
  if (scalar?.style !== 'plain') return undefined;
  const written = source.text.slice(scalar.start, scalar.end);
  if (/[[\]{},#'"\n]/.test(written)) return undefined;
  const between = conjuncts.slice(1).map((next, index): { start: number; end: number } => ({
    start: conjuncts[index]?.span.end ?? 0,
    end: next.span.start,
  }));
  if (!between.every(({ start, end }) => /^\s*(?:&&?|and)\s*$/i.test(source.text.slice(start, end))))
    return undefined;
  const lineStart = source.text.lastIndexOf('\n', scalar.start - 1) + 1;
  const before = source.text.slice(lineStart, scalar.start);
  if (/^ *- +$/.test(before)) return between.map((edit) => ({ ...edit, text: `\n${before}` }));
  if (!/^ *(?:- +)?join: +$/.test(before)) return undefined;
  return [
    { start: scalar.start, end: scalar.start, text: '[' },
    ...between.map((edit) => ({ ...edit, text: ', ' })),
    { start: scalar.end, end: scalar.end, text: ']' },
  ];
}

/** Reports joins of a fulfillment with itself. */
export const selfJoin = rule(
  {
    'self-join': error({ name: 'text' }, (p: { name: string }) => ({
      message: `Fulfillment '${p.name}' is joined with itself.`,
      hint: `Read the same rows in another fulfillment, and join '${p.name}' with it.`,
    })),
  },
  ({ report }) => ({
    operation: (_, { analyzed }) => {
      for (const { condition, join, isSelf } of analyzed.joins.written)
        if (join !== undefined && isSelf)
          report('self-join', condition.span, { name: join.left.fulfillment });
    },
  }),
);

/** Reports joins in a fulfillment that is on neither side. */
export const foreignJoin = rule(
  {
    'foreign-join': error(
      { name: 'text', left: 'text', right: 'text' },
      (p: { name: string; left: string; right: string }) => ({
        message: `This join of '${p.left}' and '${p.right}' is on fulfillment '${p.name}'.`,
        hint: `Move it to '${p.left}' or '${p.right}'.`,
      }),
    ),
  },
  ({ report }) => ({
    operation: (_, { analyzed }) => {
      for (const { condition, fulfillment, join, isForeign } of analyzed.joins.written) {
        if (join === undefined || !isForeign) continue;
        const [left, right] = [join.left.fulfillment, join.right.fulfillment];
        report('foreign-join', condition.span, { name: fulfillment.name.value, left, right });
      }
    },
  }),
);

/** Reports joins of one field with two fields of the same fulfillment, such as billing and shipping address: both would have to match. */
export const keyJoinedTwice = descriptionRule(
  {
    'key-joined-twice': warning(
      { one: 'text', two: 'text', key: 'text', name: 'text' },
      (p: { one: string; two: string; key: string; name: string }) => ({
        message: `Both '${p.one}' and '${p.two}' must equal '${p.key}'.`,
        hint: `To join them with different rows, read the rows of '${p.name}' again in another fulfillment, and join one of the two with that.`,
      }),
    ),
  },
  ({ report }) => ({
    operation: (_, { analyzed }) => {
      const { distinct, areSound } = analyzed.joins;
      if (!areSound) return;
      for (const [index, join] of distinct.entries()) {
        for (const [key, one] of sidesOf(join)) {
          const earlier = distinct
            .slice(0, index)
            .flatMap((other) => sidesOf(other))
            .find(([same, two]) => isSame(same, key) && two.fulfillment === one.fulfillment);
          if (earlier === undefined || one.fulfillment === key.fulfillment) continue;
          const parameters = { one: textOf(earlier[1]), two: textOf(one), key: textOf(key) };
          report('key-joined-twice', join.condition.span, { ...parameters, name: key.fulfillment });
        }
      }
    },
  }),
);

/** Each side with the opposite side, independent of the order in which the join is written. */
function sidesOf({ left, right }: Join): [JoinSide, JoinSide][] {
  const [one, other] = textOf(left) < textOf(right) ? [left, right] : [right, left];
  return [
    [one, other],
    [other, one],
  ];
}

/** A key that is equal for all spellings of a join. */
function textOfSides({ left, right }: Join): string {
  return [left, right].map(textOf).sort().join(' ');
}

function isSame(one: JoinSide, other: JoinSide): boolean {
  return one.fulfillment === other.fulfillment && one.field === other.field;
}

function textOf({ fulfillment, field }: JoinSide): string {
  return `${fulfillment}.${field}`;
}

/** Reports joins that no response needs, unless another error may be the reason. */
export const joinNeverUsed = descriptionRule(
  {
    'join-never-used': warning(
      { left: 'text', right: 'text', unread: 'text' },
      (p: {
        left: string;
        right: string;
        /** The joined fulfillments that no mapping reads. */
        unread: readonly string[];
        hasMappings: boolean;
      }) => ({
        message: `Unused join: no mapping leads from '${p.left}' to '${p.right}' or back.`,
        hint: !p.hasMappings
          ? "A 'schema' does not use joins. Map models of the API description with 'mappings', or join in the SQL."
          : p.unread.length > 0
            ? `Map fields of ${quotedList(p.unread, ' and ')} to a model of a response, or remove the join.`
            : 'Remove it, or nest a model of one of the two in a model of the other.',
      }),
    ),
  },
  ({ report }) => ({
    operation: (_, { analyzed }) => {
      const { fulfillments, mappings = [], joins, mapped } = analyzed;
      if (!isUseKnown(analyzed)) return;
      // If no mapping is used, that has been reported and explains unused joins.
      if (mappings.length > 0 && mapped.mappings.size === 0) return;
      const read = new Set(
        mappings
          .flatMap(({ fields }) => fields.map(({ value }) => value))
          .filter((value) => value !== undefined)
          .flatMap(namesRead),
      );
      const used = new Set([...mapped.joins].map(textOfSides));
      // Report both positions of a join that is written twice. When only one of two joins between the same fulfillments remains, it may be
      // used.
      for (const { join, condition } of joins.written) {
        if (join === undefined || used.has(textOfSides(join))) continue;
        const { left, right } = join;
        const [one, other] = [left.fulfillment, right.fulfillment];
        const names = fulfillments
          .map(({ fulfillment }) => fulfillment.name.value)
          .filter((name) => name === one || name === other);
        report('join-never-used', condition.span, {
          left: names[0] ?? one,
          right: names[1] ?? other,
          unread: names.filter((name) => !read.has(name)),
          hasMappings: mappings.length > 0,
        });
      }
    },
  }),
);

/** Reports joins of columns whose values are never or hardly ever equal, according to the database schema. */
export const joinTypeDiffers = descriptionRule(
  {
    'join-type-differs': warning(
      { columns: { name: 'text', type: 'word' }, kind: words('number', 'boolean'), likely: 'text' },
      (p: {
        /** The two columns with their type names. */
        columns: readonly { readonly name: string; readonly type: string }[];
        /** The form that strings of the first column must have. */
        kind: 'number' | 'boolean' | undefined;
        /** The join of matching columns. */
        likely: string | undefined;
      }) => {
        const [one, other] = p.columns.map(({ name, type }) => `'${name}' (${type})`);
        return {
          message:
            p.kind === undefined
              ? `${one ?? ''} never equals ${other ?? ''}.`
              : `${one ?? ''} equals ${other ?? ''} only where the string is a ${p.kind}.`,
          hint:
            p.likely === undefined
              ? 'Join columns of the same type, or cast one of them in its SQL.'
              : `Did you mean ${p.likely}?`,
        };
      },
    ),
  },
  ({ report }) => ({
    operation: (_, { analyzed }) => {
      const { joins, flow } = analyzed;
      if (joins.distinct.length === 0) return;
      for (const { condition, ...join } of joins.distinct) {
        // Use a fixed order, independent of how the join is written.
        const [left, right] =
          textOf(join.left) < textOf(join.right) ? [join.left, join.right] : [join.right, join.left];
        const environment = flow.environments.get(condition);
        if (environment === undefined) continue;
        const [one, other] = [columnOf(left, environment), columnOf(right, environment)];
        const equality = equalityOf(one, other);
        if (equality === 'possible') continue;
        const columns = [
          { name: textOf(left), type: nameOf(one) },
          { name: textOf(right), type: nameOf(other) },
        ];
        const isTurned = equality !== 'never' && one.kinds.has(equality);
        report('join-type-differs', condition.span, {
          columns: isTurned ? columns.reverse() : columns,
          kind: equality === 'never' ? undefined : equality,
          likely: likelyJoin(left, right, environment) ?? likelyJoin(right, left, environment),
        });
      }
    },
  }),
);

function columnOf({ fulfillment, field }: JoinSide, environment: Environment): ValueType {
  return typeAt(environment.result(fulfillment).type, [{ kind: 'name', name: field }]);
}

/** The database's name of the type, otherwise the kind. */
function nameOf({ column, kinds }: ValueType): string {
  return column ?? [...kinds].filter((kind) => kind !== 'null').join(' or ');
}

/** The join with the id of one side instead: `authors.id == news.author_id`. */
function likelyJoin(one: JoinSide, key: JoinSide, environment: Environment): string | undefined {
  const id = { ...one, field: 'id' };
  const isThere = environment.result(one.fulfillment).type.element?.fields?.names.includes('id') === true;
  if (!isThere || !/id$/i.test(key.field)) return undefined;
  const isEqual = equalityOf(columnOf(id, environment), columnOf(key, environment)) === 'possible';
  return isEqual ? `${textOf(id)} == ${textOf(key)}` : undefined;
}

/** Reports joins on a nullable column to an object that the API description requires: null matches nothing. */
export const nullableJoinKey = descriptionRule(
  {
    'nullable-join-key': warning({ field: 'text', key: 'text' }, (p: { field: string; key: string }) => ({
      message: `'${p.field}' is null where '${p.key}' is null, but the API description does not allow it.`,
      hint: `Allow null for '${p.field}' in the description (3.0: nullable: true; 3.1: oneOf with type: 'null'), make the column NOT NULL, or select only rows that have it.`,
    })),
  },
  ({ report }) => {
    const reported = new Set<Span>();
    return {
      response: (response, { analyzed }) => {
        const body = analyzed.mapped.bodies.get(response);
        const schema = describedBody(response, analyzed.endpoint);
        if (body === undefined || schema === undefined) return;
        const nullKeys = describedFields(body, schema).flatMap((field) => nullKeyOf(field, analyzed));
        for (const { field, key, span } of nullKeys) {
          if (!reported.has(span)) report('nullable-join-key', span, { field, key });
          reported.add(span);
        }
      },
    };
  },
);

interface NullKey {
  readonly field: string;
  readonly key: string;
  /** The span of the join. */
  readonly span: Span;
}

/** The nullable key of the first join to a single object: if the key is null, there is no object. */
function nullKeyOf({ key: field, value, schema }: DescribedField, analyzed: AnalyzedOperation): NullKey[] {
  if (value.kind !== 'entries' || value.take !== 'first' || allowsNull(schema)) return [];
  const [step] = value.of[0].of.steps;
  const index = step?.keys.findIndex(({ from }) => isOftenNull(step.from, from, analyzed)) ?? -1;
  const [key, join] = [step?.keys[index], step?.joins[index]];
  if (step === undefined || join === undefined || key === undefined) return [];
  return [{ field, key: `${step.from}.${key.from}`, span: join.condition.span }];
}

/** Whether the column is nullable according to the database schema, if known. */
function isOftenNull(
  fulfillment: string,
  column: string,
  { fulfillments, flow }: AnalyzedOperation,
): boolean {
  return fulfillments.some(
    ({ fulfillment: one }) =>
      one.name.value === fulfillment &&
      'instructions' in one &&
      one.instructions.some(({ action }) => {
        const rows = isStatement(action) ? flow.rows.get(action) : undefined;
        return rows?.element?.fields?.typeOf(column)?.isOftenNull === true;
      }),
  );
}
