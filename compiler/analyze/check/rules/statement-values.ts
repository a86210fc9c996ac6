/** Reports statement values of the wrong type. */
import { ordinaryError, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { isUnambiguous, nearest } from '../../../read/diagnostics/suggest.js';
import type { Expression, Path, Syntax } from '../../../read/expression/ast.js';
import { printExpression } from '../../../read/expression/print-expression.js';
import { isFile, nodesIn } from '../../../read/expression/visit.js';
import { partOf, type Span } from '../../../read/source.js';
import { isAllowed } from '../../../read/sql/facts/checked-values.js';
import { calledName, possibleValues } from '../../../read/sql/facts/mysql-alternatives.js';
import { lastPart } from '../../../read/sql/facts/server-names.js';
import { tableNames } from '../../../read/sql/facts/table-names.js';
import { bareName, writes } from '../../../read/sql/facts/written-columns.js';
import type { DatabaseType } from '../../../read/sql/statement-description.js';
import { unwrapped, wrapped, type SqlNode, type SqlTree } from '../../../read/sql/parse/tree.js';
import type { SqlStatement } from '../../../read/sql/statement.js';
import { wordSet } from '../../../read/wordset.js';
import type { KnownTable } from '../../operations/statements/statement-descriptions.js';
import { isDefault } from '../../types/conditions.js';
import type { Flow } from '../../types/flow.js';
import { typeOf } from '../../types/infer.js';
import { wordsOf } from '../../types/join-types.js';
import type { Kind, ValueType } from '../../types/value-type.js';
import { rule } from '../rule.js';
import { quotedList } from '../../../read/diagnostics/quoted-list.js';

/** Range types by element type: in `range @> :[…]`, the database reports a range parameter although an element may be intended. */
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

/** Reports values that the statement's parameter never accepts, according to the database. */
export const valueNeverFits = rule(
  {
    'value-never-fits': ordinaryError(
      { type: 'word', labels: 'text', nearest: 'suggestion', field: 'text' },
      (p: {
        type: string;
        labels: readonly string[] | undefined;
        nearest: string | undefined;
        /** The field to read instead, if the value is a whole result or file. */
        field: string | undefined;
        isFile: boolean;
      }) => ({
        message: `${p.field === undefined ? 'This value' : p.isFile ? 'A file' : 'A whole result'} never matches the type ${p.type}.`,
        hint:
          p.field !== undefined
            ? `Write a field of it: ${p.field}${p.isFile ? ', or pass it to a column of type bytea.' : ''}`
            : rangeElements.has(p.type)
              ? `Write a range as a string, such as '[1,5)', or cast the value to the type of the range's elements: :[…]::${rangeElements.get(p.type) ?? ''}.`
              : p.labels === undefined
                ? `Write a value of type ${p.type}, or compare with a column of another type.`
                : `${p.nearest === undefined ? 'Write one of its values:' : `Did you mean '${p.nearest}'? Its values are`} ${quotedList(p.labels)}.`,
      }),
    ),
  },
  ({ analysis, report }) => {
    return {
      statement: (statement, { analyzed }) => {
        const described = analysis.descriptions.of(statement);
        if (described === undefined || !('description' in described.result)) return;
        const { environments } = analyzed.flow;
        const { parameters } = described.result.description;
        for (const [index, bound] of described.asked.bindings.entries()) {
          const [type, environment] = [parameters[index], environments.get(bound)];
          if (type === undefined || environment === undefined) continue;
          const inside = nodesIn(bound);
          // A `||` that was meant as a default is reported as such.
          if (analyzed.flow.decisions.some((one) => isDefault(one) && inside.includes(one.condition)))
            continue;
          const value = typeOf(bound, environment);
          if (isFile(bound)) {
            const field = nameOfFile(bound, analyzed.operation.syntax);
            if (takesNoFile(type))
              report('value-never-fits', bound.span, { ...noValue, type: type.name, field, isFile: true });
            continue;
          }
          const isList = described.asked.lists.has(index) || type.element !== undefined;
          const field = isRowsForScalar(value, type)
            ? fieldOf(bound, value, type, isList, analyzed.operation.syntax)
            : undefined;
          if (field !== undefined || neverMatches(value, type))
            report('value-never-fits', bound.span, {
              ...{ type: type.name, labels: type.labels, field, isFile: false },
              nearest: nearestLabel(value, type),
            });
        }
      },
    };
  },
);

/** Whether the type is certainly not binary. */
function takesNoFile({ name, labels, element }: DatabaseType): boolean {
  const isOther = labels !== undefined || element !== undefined || numbers.has(name) || scalars.test(name);
  return isOther || /^(?:text|varchar|bpchar|jsonb?)$/.test(name);
}

const noValue = { labels: undefined, nearest: undefined };

function nameOfFile(file: Extract<Expression, { kind: 'multipart-file' }>, syntax: Syntax): string {
  return printExpression({ ...file, path: [{ kind: 'name', name: 'name' }] }, syntax);
}

/** The enum label most similar to the written string. */
function nearestLabel(value: ValueType, { labels }: DatabaseType): string | undefined {
  const [word, other] = wordsOf(value) ?? [];
  return word === undefined || other !== undefined || labels === undefined
    ? undefined
    : nearest(word, labels);
}

/** Null is possible almost everywhere, so it is ignored. */
function neverMatches(value: ValueType, type: DatabaseType): boolean {
  const kinds = [...value.kinds].filter((kind) => kind !== 'null');
  return kinds.length > 0 && kinds.every((kind) => !matches(kind, value, type));
}

const scalars = /^(?:bool|uuid|date|time|timetz|timestamp|timestamptz|interval)$/;

/** Whether rows are passed to a scalar column or to an array of scalars. A string column accepts rows as JSON. */
function isRowsForScalar({ isRows, kinds }: ValueType, { element, ...own }: DatabaseType): boolean {
  const { name, labels } = element ?? own;
  const isOther = [...kinds].some((kind) => kind !== 'null' && kind !== 'array');
  return isRows === true && !isOther && (labels !== undefined || numbers.has(name) || scalars.test(name));
}

/** The field of the first row (or of all rows) that is probably meant: one with the right type, preferably the id. */
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

/** Reports strings that a CHECK constraint refuses, so that the statement always fails. */
export const checkRefusesValue = rule(
  {
    'check-refuses-value': ordinaryError(
      { written: 'text', column: 'text', values: 'text' },
      (p: { written: string; column: string; values: readonly string[]; span: Span }) => {
        const meant = nearest(p.written, p.values, 2);
        return {
          message: `A CHECK of the table refuses '${p.written}' in the column '${p.column}'.`,
          hint: `${meant === undefined ? 'Write one of its values:' : `Did you mean '${meant}'? Its values are`} ${quotedList(p.values)}.`,
          ...(meant !== undefined && {
            instead: meant,
            insteadOf: partOf(p.span, p.written),
            isSuggestion: !isUnambiguous(p.written, p.values),
          }),
        };
      },
    ),
  },
  ({ analysis, report }) => ({
    statement: (statement, { analyzed }) => {
      const asked = analysis.descriptions.of(statement)?.asked;
      const table = asked && changedTable(statement, analysis.descriptions.tables(asked.datasource));
      if (table?.values === undefined) return;
      const { pieces, dialect } = statement;
      for (const { column, value } of writes(pieces.tree.main)) {
        const name = column?.kind === 'name' ? lastPart(pieces.tree, column) : '';
        const [found, values = []] =
          Object.entries(table.values).find(([one]) => one.toLowerCase() === name) ?? [];
        if (found === undefined) continue;
        const written = writtenStrings(value, statement, analyzed.flow);
        const [first] = written?.strings ?? [];
        if (written === undefined || first === undefined) continue;
        if (!written.strings.some((text) => isAllowed(text, values, dialect)))
          report('check-refuses-value', written.span, {
            written: first,
            column: found,
            values,
            span: written.span,
          });
      }
    },
  }),
);

/** The only table changed by the statement. */
function changedTable(statement: SqlStatement, tables: readonly KnownTable[]): KnownTable | undefined {
  const [name, ...others] = tableNames(statement).writes;
  const [found, ...more] = tables.filter((table) => name !== undefined && isSame(table.name, name));
  return others.length > 0 || more.length > 0 ? undefined : found;
}

/** All possible strings of the value; undefined if it can have other values. */
function writtenStrings(
  node: SqlNode,
  { pieces }: SqlStatement,
  { environments }: Flow,
): { readonly strings: readonly string[]; readonly span: Span } | undefined {
  const inner = unwrapped(node);
  const value = inner.kind === 'cast' && !inner.isFunction ? unwrapped(inner.value) : inner;
  if (value.kind === 'string') {
    const text = pieces.tree.items[value.first]?.token.text ?? '';
    const isPlain = value.first === value.last && /^'(?:[^'\\])*'$/.test(text);
    return isPlain ? { strings: [text.slice(1, -1)], span: pieces.spanOf(value) } : undefined;
  }
  if (value.kind !== 'placeholder' || value.expression === undefined) return undefined;
  const environment = environments.get(value.expression);
  const type = environment && typeOf(value.expression, environment);
  if (type === undefined || [...type.kinds].some((kind) => kind !== 'string')) return undefined;
  return { strings: [...(wordsOf(type) ?? [])], span: value.expression.span };
}

/** Reports values on MySQL and MariaDB that may be strings although the other alternatives of COALESCE, IF, CASE … are numbers. */
export const textBesideNumber = rule(
  {
    'text-beside-number': warning(
      { written: 'text', placeholder: 'text' },
      (p: { written: string; placeholder: string }) => ({
        message: `${p.written} may be a string, and the other values are numbers: MySQL and MariaDB then compare and return strings.`,
        hint: `Write CAST(${p.placeholder} AS SIGNED), or AS DECIMAL(10, 2) for a fraction; or declare its type in the API description.`,
      }),
    ),
  },
  ({ analysis, report }) => {
    const isNumber = (statement: SqlStatement, name: string): boolean => {
      const asked = analysis.descriptions.of(statement)?.asked;
      return (
        asked !== undefined && isNumberColumn(statement, name, analysis.descriptions.tables(asked.datasource))
      );
    };
    return {
      statement: (statement, { operation, loop }) => {
        const { uses, bindings } = statement;
        for (const [index, { besideNumber, besideColumns = [] }] of uses) {
          const binding = bindings[index];
          // A value from the database is a number if its column is.
          const isUnknown = binding?.kind === 'param' || binding?.kind === 'sent' || binding?.kind === 'body';
          if (!isUnknown) continue;
          if (besideNumber !== true && !besideColumns.some((name) => isNumber(statement, name))) continue;
          if (analysis.declared.of(binding, operation, loop).length > 0) continue;
          const written = printExpression(binding, operation.syntax);
          const placeholder = isInText(binding) ? `:[${written}]` : '?';
          report('text-beside-number', binding.span, { written, placeholder });
        }
      },
    };
  },
);

/** Whether every table of the statement with such a column has it as a number: an unqualified column may belong to any of these tables. */
function isNumberColumn(statement: SqlStatement, column: string, tables: readonly KnownTable[]): boolean {
  const { reads, writes } = tableNames(statement);
  const named = new Set([...reads, ...writes].map((name) => bareName(name).toLowerCase()));
  const having = tables.filter(
    ({ name, columns }) => named.has(name.toLowerCase()) && columns.some((one) => isSame(one, column)),
  );
  return (
    having.length > 0 && having.every(({ numbers }) => numbers?.some((one) => isSame(one, column)) === true)
  );
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Whether the expression is written inside the SQL. In the `sql` form, it is outside, and the SQL contains a `?`. */
function isInText({ span: { source, start } }: Expression): boolean {
  return /:\[\s*$/.test(source.text.slice(Math.max(0, start - 20), start));
}

/** MySQL and MariaDB functions that return a JSON document. */
const documents = wordSet(`
  JSON_OBJECT JSON_ARRAY JSON_OBJECTAGG JSON_ARRAYAGG JSON_SET JSON_INSERT JSON_REPLACE JSON_REMOVE
  JSON_MERGE JSON_MERGE_PATCH JSON_MERGE_PRESERVE
`);
/** Functions that nest a document in another one. */
const enclosing = wordSet('JSON_OBJECT JSON_ARRAY JSON_OBJECTAGG JSON_ARRAYAGG');

/** Reports JSON that becomes a string because an alternative of the same expression is a string: `COALESCE(JSON_ARRAYAGG(name), '[]')`. */
export const jsonBesideString = rule(
  {
    'json-beside-string': warning(
      { written: 'text', instead: 'text' },
      (p: { written: string; instead: string }) => ({
        message: `MySQL and MariaDB return a string here: JSON mixed with the string ${p.written} becomes a string.`,
        hint: `Write ${p.instead} instead of ${p.written}.`,
      }),
    ),
  },
  ({ report }) => ({
    statement: ({ dialect, pieces }) => {
      if (dialect !== 'mysql') return;
      const { tree } = pieces;
      for (const node of tree.nodes) {
        const values = possibleValues(node, tree).map(unwrapped);
        if (!isPassedOn(node, tree) || !values.some((value) => isCallOf(documents, value, tree))) continue;
        for (const value of values) {
          const written = tree.items[value.first]?.token.text ?? '';
          const instead = value.kind === 'string' ? documentIn(written) : undefined;
          if (instead !== undefined) report('json-beside-string', pieces.spanOf(value), { written, instead });
        }
      }
    },
  }),
);

/** Whether the value is a result column or part of a document. */
function isPassedOn(node: SqlNode, tree: SqlTree): boolean {
  const { parent } = wrapped(node);
  return parent?.kind === 'column' || (parent !== undefined && isCallOf(enclosing, parent, tree));
}

function isCallOf(names: ReadonlySet<string>, node: SqlNode, tree: SqlTree): boolean {
  return node.kind === 'call' && names.has(calledName(node, tree));
}

/** The JSON document in a string literal; undefined for other strings. */
function documentIn(literal: string): string | undefined {
  const text = literal.slice(1, -1).trim();
  if (text === '{}') return 'JSON_OBJECT()';
  if (text === '[]') return 'JSON_ARRAY()';
  return /^(?:[[{].*[\]}]|null)$/s.test(text) ? `JSON_EXTRACT(${literal}, '$')` : undefined;
}
