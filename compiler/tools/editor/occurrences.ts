/** Definitions and uses of names in a configuration: fulfillments, operations, datasources, authentications, models, user functions. */
import { finderOf } from '../../analyze/operations/authentications/accepted.js';
import { everyLimit } from '../../analyze/operations/limits.js';
import type { Analysis } from '../../analyze/operations/analysis.js';
import {
  asThirdParty,
  type CodeFulfillment,
  type CodeType,
  type Operation,
} from '../../read/config/config-model.js';
import { allFulfillments, walkOperation } from '../../read/config/walk.js';
import type { Expression } from '../../read/expression/ast.js';
import { positionKey, spanBeside, type Source, type Span } from '../../read/source.js';
import { nodesIn } from '../../read/expression/visit.js';

export type NameKind = 'fulfillment' | 'operation' | 'datasource' | 'authentication' | 'model' | 'function';

export interface Occurrence {
  readonly kind: NameKind;
  readonly name: string;
  /** For a fulfillment, the operation that contains it. */
  readonly operation?: Operation;
  readonly span: Span;
  readonly isDefinition: boolean;
  /** Set for names in expressions, which may need quotes. */
  readonly isInExpression?: true;
}

/** All names in one operation: its own name, names that it uses, and its fulfillments. */
function ofOperation(operation: Operation): Occurrence[] {
  const found: Occurrence[] = [];
  const { name } = operation;
  found.push({ kind: 'operation', name: name.value, span: name.span, isDefinition: true });
  for (const { fulfillment } of allFulfillments(operation.fulfillments)) {
    const { name: own } = fulfillment;
    if (own.value !== '')
      found.push({ kind: 'fulfillment', name: own.value, operation, span: own.span, isDefinition: true });
    const isCall = fulfillment.type === 'REFERENCE' || fulfillment.type === 'DEFERRED';
    if (isCall && fulfillment.operationName.value !== '')
      found.push({ kind: 'operation', ...nameAt(fulfillment.operationName), isDefinition: false });
    if (fulfillment.type === 'DEFERRED' && fulfillment.outbox !== undefined)
      found.push({ kind: 'datasource', ...nameAt(fulfillment.outbox), isDefinition: false });
    if (fulfillment.type === 'CODE') found.push(...ofCode(fulfillment));
    if (!('instructions' in fulfillment)) continue;
    if (fulfillment.datasource.value !== '')
      found.push({ kind: 'datasource', ...nameAt(fulfillment.datasource), isDefinition: false });
    for (const { value } of fulfillment.join) found.push(...inExpression(value, operation));
  }
  walkOperation(operation, (expression) => found.push(...inExpression(expression, operation)));
  for (const { model } of operation.mappings)
    found.push({ kind: 'model', ...nameAt(model), isDefinition: false });
  for (const authentication of operation.authentications ?? [])
    found.push({ kind: 'authentication', ...nameAt(authentication), isDefinition: false });
  return found;
}

/** The function, which is defined in its own file, and the model that it returns. */
function ofCode({ function: called, returns }: CodeFulfillment): Occurrence[] {
  const found: Occurrence[] = [];
  if (called.value !== '') found.push({ kind: 'function', ...nameAt(called), isDefinition: false });
  return [...found, ...modelOf(returns)];
}

/** The model in a type of user code. */
function modelOf(type: CodeType | undefined): Occurrence[] {
  if (type?.kind !== 'model') return [];
  const { name, span } = type;
  const own = spanBeside(span, span.start, span.start + name.length);
  return [{ kind: 'model', name, isDefinition: false, span: own }];
}

function nameAt({
  value,
  span,
}: {
  readonly value: string;
  readonly span: Span;
}): Pick<Occurrence, 'name' | 'span'> {
  return { name: value, span };
}

function inExpression(expression: Expression, operation: Operation): Occurrence[] {
  return nodesIn(expression).flatMap((node): Occurrence[] => {
    if (node.kind === 'token') {
      const { authentication: name, authenticationSpan: span } = node;
      return [{ kind: 'authentication', name, span, isDefinition: false, isInExpression: true }];
    }
    if (node.kind === 'code') {
      const { function: name, functionSpan: span } = node;
      return [{ kind: 'function', name, span, isDefinition: false, isInExpression: true }];
    }
    if (!('nameSpan' in node)) return [];
    const { name, nameSpan: span } = node;
    return [{ kind: 'fulfillment', name, operation, span, isDefinition: false, isInExpression: true }];
  });
}

/** All occurrences in a configuration, and definitions of models in its API description. */
function occurrencesOf({ config, description }: Analysis): Occurrence[] {
  const models = [...(description?.models ?? [])].map(([name, { span }]): Occurrence => {
    return { kind: 'model', name, span, isDefinition: true };
  });
  const named = (
    kind: NameKind,
    list: readonly { readonly name: { value: string; span: Span } }[],
  ): Occurrence[] => list.map(({ name }) => ({ kind, ...nameAt(name), isDefinition: true }));
  return [
    ...config.operations.flatMap(ofOperation),
    ...named('datasource', config.datasources),
    ...config.datasources.flatMap((datasource): Occurrence[] => {
      const outbox = asThirdParty(datasource)?.outbox;
      return outbox === undefined ? [] : [{ kind: 'datasource', ...nameAt(outbox), isDefinition: false }];
    }),
    ...everyLimit(config).flatMap(({ store }): Occurrence[] =>
      store === undefined ? [] : [{ kind: 'datasource', ...nameAt(store), isDefinition: false }],
    ),
    ...named('function', config.functions),
    ...config.functions.flatMap(({ input, returns }) => [...input, returns].flatMap(modelOf)),
    ...named('authentication', config.authentications),
    ...config.authentications.flatMap((authentication): Occurrence[] => {
      const finder = finderOf(authentication);
      return finder === undefined ? [] : [{ kind: 'operation', ...nameAt(finder), isDefinition: false }];
    }),
    ...models,
  ];
}

/** The occurrence at an offset in a file of the configuration. */
export function occurrenceAt(analysis: Analysis, source: Source, offset: number): Occurrence | undefined {
  return occurrencesOf(analysis)
    .filter(({ span }) => span.source === source && span.start <= offset && offset <= span.end)
    .sort((a, b) => a.span.end - a.span.start - (b.span.end - b.span.start))[0];
}

/** All occurrences of the name at the offset, in file order, without duplicate positions. */
export function sameAs(analysis: Analysis, file: Source, offset: number): Occurrence[] {
  const wanted = occurrenceAt(analysis, file, offset);
  if (wanted === undefined) return [];
  const named = occurrencesOf(analysis).filter(
    ({ kind, name }) => kind === wanted.kind && name === wanted.name,
  );
  const operations = sharing(named, wanted.operation);
  const { source, included } = analysis.config;
  const files = new Map([source, ...included].map((one, index) => [one, index]));
  const order = ({ span }: Occurrence): number => files.get(span.source) ?? files.size;
  const seen = new Set<string>();
  return named
    .filter(({ operation }) => operations.has(operation))
    .filter(({ span }) => !seen.has(positionKey(span)) && seen.add(positionKey(span)))
    .sort((a, b) => order(a) - order(b) || a.span.start - b.span.start);
}

/** The operation, and operations that share one of its occurrences because of a YAML alias. */
function sharing(named: readonly Occurrence[], first: Operation | undefined): Set<Operation | undefined> {
  const operations = new Set([first]);
  for (const own of operations) {
    const spans = new Set(
      named.filter(({ operation }) => operation === own).map(({ span }) => positionKey(span)),
    );
    for (const { span, operation } of named) if (spans.has(positionKey(span))) operations.add(operation);
  }
  return operations;
}
