/** Names and types that can be read at a position of an operation, even if the expression there is unfinished. */
import { finderOf } from '../../analyze/operations/authentications/accepted.js';
import type { Analysis } from '../../analyze/operations/analysis.js';
import type { AnalyzedOperation } from '../../analyze/operations/analyzed-operation.js';
import type { Fulfillment, Operation } from '../../read/config/config-model.js';
import type { Expression } from '../../read/expression/ast.js';
import type { Source } from '../../read/source.js';
import { elementOf, typeAt, typeOf } from '../../analyze/types/infer.js';
import { either, orNull } from '../../analyze/types/join-types.js';
import { fieldsOf, objectOf, textValue, unknownValue } from '../../analyze/types/known-types.js';
import type { ValueType } from '../../analyze/types/value-type.js';
import type { Environment } from '../../analyze/types/visible-values.js';
import { nodesIn } from '../../read/expression/visit.js';
import { isStatement } from '../../read/config/walk.js';

/** The operation at the offset: the last one in the file that starts before it. */
export function operationAt(
  { operations }: Analysis,
  source: Source,
  offset: number,
): AnalyzedOperation | undefined {
  return operations
    .filter(({ operation: { name } }) => name.span.source === source && name.span.start <= offset)
    .at(-1);
}

/** A readable fulfillment, and whether it is an enclosing loop, whose name refers to the current element. */
export interface Visible {
  readonly fulfillment: Fulfillment;
  readonly isElement: boolean;
}

/** Fulfillments that have run at the offset, and enclosing loops, in file order. */
export function visibleAt({ fulfillments }: Operation, offset: number, isBehind: boolean): Visible[] {
  const found: Visible[] = [];
  const walk = (list: readonly Fulfillment[], end: number): void => {
    for (const [index, fulfillment] of list.entries()) {
      const start = startOf(fulfillment);
      if (start > offset) return;
      const next = list[index + 1];
      const isHere = !isBehind && offset < (next === undefined ? end : startOf(next));
      const field = fieldBefore(fulfillment, offset);
      if (!isHere) found.push({ fulfillment, isElement: false });
      else if (fulfillment.type === 'LOOP' && insideLoop.includes(field)) {
        found.push({ fulfillment, isElement: true });
        walk(fulfillment.fulfillments, next === undefined ? end : startOf(next));
      } else if (afterRun.includes(field)) found.push({ fulfillment, isElement: false });
    }
  };
  walk(fulfillments, Infinity);
  return found;
}

function startOf({ fields, name }: Fulfillment): number {
  return Math.min(name.span.start, ...[...fields.values()].map(({ start }) => start));
}

/** Fields of a fulfillment that can read its own result. */
const afterRun = ['exceptions', 'loopbreak', 'index', 'join'];
/** Fields of a LOOP that can read its current element. */
const insideLoop = ['fulfillments', 'loopbreak'];

/** The field that contains the offset. */
function fieldBefore({ fields }: Fulfillment, offset: number): string {
  const before = [...fields].filter(([, { start }]) => start <= offset);
  return before.sort(([, a], [, b]) => a.start - b.start).at(-1)?.[0] ?? '';
}

/** The names and types at the nearest evaluated expression of the operation where the name is known. */
function environmentWith(
  analyzed: AnalyzedOperation,
  offset: number,
  name?: string,
): Environment | undefined {
  const distance = ({ span }: Expression): number => Math.abs(span.start - offset);
  let best: { readonly environment: Environment; readonly distance: number } | undefined;
  for (const { expression, environment } of analyzed.flow.evaluations) {
    if (name !== undefined && environment.result(name).key === 'missing') continue;
    if (best === undefined || distance(expression) < best.distance)
      best = { environment, distance: distance(expression) };
  }
  return best?.environment;
}

/** The type of a name's value at the offset. */
export function typeOfName(
  analyzed: AnalyzedOperation,
  { fulfillment, isElement }: Visible,
  offset: number,
): ValueType {
  const known = environmentWith(analyzed, offset, fulfillment.name.value)?.result(
    fulfillment.name.value,
  ).type;
  const isSame = !('instructions' in fulfillment) || known?.kinds.has('array') === true;
  if (known !== undefined && (isElement || isSame)) return known;
  // Used if no expression reads the element yet.
  if (isElement && fulfillment.type === 'LOOP' && fulfillment.loop !== undefined)
    return elementOf(typeOfExpression(analyzed, fulfillment.loop, offset));
  if (!('instructions' in fulfillment)) return analyzed.flow.results.get(fulfillment) ?? unknownValue;
  if (known?.claim !== undefined) return known;
  const rows = fulfillment.instructions.flatMap(({ action }) =>
    isStatement(action) ? (analyzed.flow.rows.get(action) ?? []) : [],
  );
  const [first, ...others] = rows;
  return first === undefined ? unknownValue : others.reduce(either, first);
}

/** The type that an expression would have at the offset. */
export function typeOfExpression(
  analyzed: AnalyzedOperation,
  expression: Expression,
  offset: number,
): ValueType {
  const name = nodesIn(expression).find((node) => 'nameSpan' in node)?.name;
  const exact = evaluationOf(analyzed, expression);
  const environment = exact ?? environmentWith(analyzed, offset, name) ?? environmentWith(analyzed, offset);
  return environment === undefined ? unknownValue : typeOf(expression, environment);
}

function evaluationOf(analyzed: AnalyzedOperation, wanted: Expression): Environment | undefined {
  for (const { expression, environment } of analyzed.flow.evaluations) {
    const { span } = expression;
    if (span.start > wanted.span.start || span.end < wanted.span.end) continue;
    if (nodesIn(expression).includes(wanted)) return environment;
  }
  return undefined;
}

/** Fields of the value at the path; for a list, fields of its elements. */
export function fieldsOfType(type: ValueType, path: readonly string[]): { name: string; type: ValueType }[] {
  const found = typeAt(
    type,
    path.map((name) =>
      /^-?\d+$/.test(name) ? { kind: 'index', index: Number(name) } : { kind: 'name', name },
    ),
  );
  const { kinds, fields: own, element: every } = found.claim?.type ?? found;
  const element = kinds.has('array') ? every : undefined;
  const fields = own ?? element?.fields;
  return (fields?.names ?? []).map((name) => {
    const type = fields?.typeOf(name) ?? fields?.optional?.(name);
    return { name, type: type === undefined ? unknownValue : element === undefined ? type : orNull(type) };
  });
}

/** The type of CALLER: its known claims are those that the configuration reads, or that an operation returns for the callers of keys. */
export function callerType({ config, operations }: Analysis): ValueType {
  const claims = new Map<string, ValueType>([
    ['authentication', textValue],
    ['sub', unknownValue],
  ]);
  const finders = new Set(config.authentications.flatMap((one) => finderOf(one)?.value ?? []));
  for (const { operation, flow } of operations) {
    if (finders.has(operation.name.value))
      for (const { name, type } of fieldsOfType(flow.responseType, [])) claims.set(name, type);
    for (const { expression } of flow.evaluations)
      for (const node of nodesIn(expression)) {
        const [first] = node.kind === 'caller' ? node.path : [];
        if (first?.kind === 'name' && !claims.has(first.name)) claims.set(first.name, unknownValue);
      }
  }
  return objectOf(fieldsOf(claims, { kind: 'described' }, false));
}

/** The parameters of an operation: from its path, from its API description, and those that it reads. */
export function parametersOf({ operation, endpoint, flow }: AnalyzedOperation): string[] {
  const read = flow.evaluations
    .flatMap(({ expression }) => nodesIn(expression))
    .flatMap((node) => (node.kind === 'param' ? [node.name] : []));
  return [
    ...new Set([
      ...(operation.endpoint?.parameters ?? []),
      ...(endpoint?.parameters ?? []).map(({ name }) => name),
      ...Object.keys(Object.fromEntries(endpoint?.body?.form?.schema.properties ?? [])),
      ...read,
    ]),
  ].filter((name) => name !== '');
}
