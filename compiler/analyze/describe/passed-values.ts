/** The types that databases expect for request values: those of the columns with which they are compared or to which they are written. */
import type { Instruction, LoopFulfillment, Operation } from '../../read/config/config-model.js';
import { isStatement, loopNamed } from '../../read/config/walk.js';
import type { Expression, Path } from '../../read/expression/ast.js';
import { printSteps } from '../../read/expression/parse/path.js';
import type { SqlStatement } from '../../read/sql/statement.js';
import { placedValues } from '../../read/sql/facts/cast-values.js';
import type { DatabaseType } from '../../read/sql/statement-description.js';
import { writtenColumns } from '../../read/sql/facts/written-columns.js';
import type { AnalyzedOperation, NestedFulfillment } from '../operations/analyzed-operation.js';
import type { KnownTable, StatementDescriptions } from '../operations/statements/statement-descriptions.js';
import { typeIn } from '../types/column-type.js';
import { withoutNull } from '../types/join-types.js';
import { arrayOf, textValue } from '../types/known-types.js';
import { isAnything, type ValueType } from '../types/value-type.js';
import type { KnownInput } from './known-values.js';
import { isParameter, nodesIn } from '../../read/expression/visit.js';

/** How an operation uses its request values, by `paramKey` and `bodyKey`. */
export interface PassedValues {
  /** The expectations of every place to which the operation passes the value. */
  readonly inputs: ReadonlyMap<string, readonly KnownInput[]>;
  /** Values that exceptions read, so that the author defines the response to a missing value. */
  readonly answered: ReadonlySet<string>;
  /** Values that exceptions compare with a string: `if: param.id == 'x'` implies an id that is not a number. */
  readonly comparedWithText: ReadonlySet<string>;
}

export function passedToDatabases(
  { operation, fulfillments }: AnalyzedOperation,
  descriptions: StatementDescriptions,
  /** `settings.numbers: string` */
  areNumbersStrings: boolean,
): PassedValues {
  const found = new Map<string, KnownInput[]>();
  const add = (key: string | undefined, type: ValueType | undefined, isRequired: boolean): void => {
    if (key !== undefined) found.set(key, [...(found.get(key) ?? []), { type, isRequired }]);
  };
  const { answered, comparedWithText } = ownAnswers(fulfillments, operation);
  for (const { fulfillment, loop } of fulfillments) {
    if (!('instructions' in fulfillment)) continue;
    const keyIn = (expression: Expression): string | undefined => keyOf(expression, operation, loop);
    for (const instruction of fulfillment.instructions) {
      const { action } = instruction;
      if (!isStatement(action)) continue;
      const placed = placedValues(action.pieces.tree).filter(({ expression }) => isParameter(expression));
      const described = descriptions.of(action);
      if (described === undefined || !('description' in described.result)) {
        for (const { expression, cast, isList } of placed)
          add(keyIn(expression), castType(cast, isList, areNumbersStrings), false);
        continue;
      }
      const { asked, result } = described;
      const lists = new Set(placed.flatMap(({ expression, isList }) => (isList ? [keyIn(expression)] : [])));
      const isAlways = fulfillment.if === undefined && isOnly(instruction, fulfillment.instructions);
      const refused = isAlways
        ? refusingNull(asked.statement, descriptions.tables(asked.datasource))
            .filter((value) => isOfEach(value, loop, operation))
            .map(keyIn)
        : [];
      for (const [index, binding] of asked.bindings.entries()) {
        const key = keyIn(binding);
        if (key === undefined) continue;
        const type = result.description.parameters[index];
        const isInList = asked.lists.has(index) || lists.has(key);
        const known = type && typeIn(type);
        if (isParameter(binding) && known !== undefined && isInList) {
          add(key, listType(known.element ?? known, areNumbersStrings), refused.includes(key));
          continue;
        }
        add(
          key,
          known && !isInList ? inputType(known, isParameter(binding), areNumbersStrings) : undefined,
          refused.includes(key),
        );
      }
    }
  }
  return { inputs: found, answered, comparedWithText };
}

export function paramKey(name: string): string {
  return `param ${name}`;
}

/** Of QUERY, which reads only the query. */
export function queryKey(name: string): string {
  return `query ${name}`;
}

export function bodyKey(path: Path): string {
  return `body ${printSteps(path)}`;
}

/** The key of a request value. A part of a LOOP element has the path inside the body. */
function keyOf(
  expression: Expression,
  operation: Operation,
  loop: LoopFulfillment | undefined,
): string | undefined {
  if (expression.kind === 'param')
    return expression.path.length === 0 ? paramKey(expression.name) : undefined;
  if (expression.kind === 'sent') return expression.place === 'query' ? queryKey(expression.name) : undefined;
  if (expression.kind === 'body') return bodyKey(expression.path);
  const around = loopOf(expression, operation, loop);
  if (around?.loop?.kind !== 'body' || !('path' in expression)) return undefined;
  return bodyKey([...around.loop.path, { kind: 'all' }, ...expression.path]);
}

/** The loop whose element the expression reads. */
function loopOf(
  expression: Expression,
  operation: Operation,
  innermost: LoopFulfillment | undefined,
): LoopFulfillment | undefined {
  if (expression.kind === 'element') return innermost;
  return expression.kind === 'value' ? loopNamed(expression.name, operation, innermost) : undefined;
}

function isOnly({ if: condition }: Instruction, { length }: readonly Instruction[]): boolean {
  return condition === undefined && length === 1;
}

/** Whether a statement in this loop runs for every request or, for a value of the element, for every element. */
function isOfEach(value: Expression, loop: LoopFulfillment | undefined, operation: Operation): boolean {
  if (loop === undefined) return true;
  const isAlone =
    loop.if === undefined && loop.loopbreak.length === 0 && operation.fulfillments.includes(loop);
  return isAlone && loopOf(value, operation, loop) === loop;
}

/** The values that the statement writes to columns that may not be null. */
function refusingNull(statement: SqlStatement, tables: readonly KnownTable[]): Expression[] {
  const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
  return writtenColumns(statement).flatMap(({ table, column, value }) => {
    const known = tables.find(({ name }) => isSame(name, table))?.refusingNull;
    return known?.some((name) => isSame(name, column)) === true ? [value] : [];
  });
}

function ownAnswers(
  fulfillments: readonly NestedFulfillment[],
  operation: Operation,
): Pick<PassedValues, 'answered' | 'comparedWithText'> {
  const answered = new Set<string>();
  const comparedWithText = new Set<string>();
  const all = [{ fulfillment: operation, loop: undefined }, ...fulfillments];
  for (const { fulfillment, loop } of all) {
    const addTo = (keys: Set<string>, node: Expression): void => {
      const key = keyOf(node, operation, loop);
      if (key !== undefined) keys.add(key);
    };
    // Exceptions of a LOOP are checked after the loop; exceptions inside it can read its elements.
    for (const { if: condition } of fulfillment.exceptions) {
      if (condition === undefined) continue;
      for (const node of nodesIn(condition)) {
        addTo(answered, node);
        if (node.kind !== 'comparison') continue;
        if (node.right.kind === 'text') addTo(comparedWithText, node.left);
        if (node.left.kind === 'text') addTo(comparedWithText, node.right);
      }
    }
  }
  return { answered, comparedWithText };
}

/** The type of a value in a statement that no database has described. */
function castType(
  cast: DatabaseType | undefined,
  isList: boolean,
  areNumbersStrings: boolean,
): ValueType | undefined {
  const type = cast && typeIn(cast);
  return isList ? listType(type, areNumbersStrings) : type && inputType(type, true, areNumbersStrings);
}

/** The elements of a list in a request; strings if nothing is known of them. */
function listType(element: ValueType | undefined, areNumbersStrings: boolean): ValueType {
  return arrayOf((element && inputType(withoutNull(element), true, areNumbersStrings)) ?? textValue);
}

/**
 * A parameter is a string until it is converted, so its number has one kind; a body has the JSON that the column has in responses. Of dates
 * and times databases read more than one way to write them. Clients send numbers as they receive them.
 */
function inputType(type: ValueType, isParameter: boolean, areNumbersStrings: boolean): ValueType | undefined {
  const { kinds, element, column, words, decimals } = type;
  if (isAnything(type) || element !== undefined) return undefined;
  if (areNumbersStrings && decimals !== undefined && column !== undefined)
    return { kinds: new Set(['string']), column };
  if (words !== undefined) return type;
  const kind = kinds.has('number') ? 'number' : kinds.has('boolean') ? 'boolean' : 'string';
  const isExact = kind === 'number' && kinds.has('string') && !isParameter;
  const isText = column === undefined || kind === 'string';
  return { kinds: new Set(isExact ? [kind, 'string'] : [kind]), ...(isText ? {} : { column }) };
}
