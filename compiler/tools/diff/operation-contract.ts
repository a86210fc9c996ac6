/** The contract of an operation with its clients: accepted requests, responses, and access. */
import type {
  DataFulfillment,
  Idempotency,
  ListPage,
  RequestLimit,
  Response,
  ToolDeclaration,
} from '../../read/config/config-model.js';
import { isOpen } from '../../analyze/operations/authentications/accepted.js';
import { acceptedTypes } from '../../analyze/operations/requests/accepted-types.js';
import { constantText } from '../../analyze/operations/requests/constant-text.js';
import { allFulfillments, exceptionsOf } from '../../read/config/walk.js';
import { statusesOf, withCalled } from '../explain/statuses.js';
import type { ServiceView, ViewedOperation } from '../explain/service-view.js';
import type { Body } from '../../analyze/mapping/body-parts.js';
import { describedBody } from '../../analyze/mapping/described.js';
import type { ApiBody, ApiDescription, ApiEndpoint } from '../../read/openapi/api-model.js';
import { matchingEndpoint, pathParameters } from '../../read/openapi/match.js';
import { typeOf } from '../../analyze/types/infer.js';
import { sentType } from '../../analyze/types/sent-digits.js';
import { contractException, errorBodies, type ContractException } from './error-bodies.js';
import {
  anything,
  listShape,
  objectShape,
  omittingShape,
  orNullShape,
  shapeOfSchema,
  shapeOfType,
  type Shape,
} from './value-shape.js';

export interface Contract {
  readonly parameters: readonly ContractParameter[];
  /** Undefined if there is no body. */
  readonly body: { readonly shape: Shape; readonly isRequired: boolean } | undefined;
  /** The content types of bodies; undefined for the usual types of JSON. */
  readonly accepts: readonly string[] | undefined;
  readonly responses: readonly ContractResponse[];
  /** Statuses of responses and exceptions, including those of called operations. */
  readonly statuses: ReadonlySet<number>;
  /** Accepted authentications with required scopes; undefined if everybody may call the operation. */
  readonly access: ReadonlyMap<string, readonly string[]> | undefined;
  readonly limits: readonly RequestLimit[];
  readonly idempotency: Idempotency | undefined;
  readonly tool: ToolDeclaration | undefined;
  /** Whether an operation that asks for no credentials refuses pages of other origins. */
  readonly isForKnownPages: boolean;
  /** The status of invalid requests. */
  readonly invalid: 400 | 422;
  /** Includes exceptions of called operations. */
  readonly exceptions: readonly ContractException[];
  /** Lists that the operation reads, in fulfillment order. */
  readonly lists: readonly ContractList[];
}

/** The orders that clients can choose for a READ with `order`, and the defaults. */
export interface ContractList {
  readonly orders: readonly string[];
  readonly default: string | undefined;
  /** Maximum number of rows per page; undefined for a list without pages. */
  readonly max: number | undefined;
  /** The maximum number of rows before a page that a number or an offset names; undefined without them. */
  readonly maxOffset: number | undefined;
  /** Whether invalid numbers mean the nearest valid number. */
  readonly isClamped: boolean;
  /** The conditions as requests write them. */
  readonly filters: readonly string[];
}

export interface ContractParameter {
  /** Such as `query parameter 'q'`; path parameters are identified by position, because clients do not see their names. */
  readonly name: string;
  readonly shape: Shape;
  readonly isRequired: boolean;
}

export interface ContractResponse {
  readonly name: string;
  readonly status: number;
  /** From the written API description; undefined if there is none, or if it does not describe JSON. */
  readonly described: Shape | undefined;
  /** From the schema or mappings of the configuration; undefined if there is no body. */
  readonly built: Shape | undefined;
  /** Content type of a body that is not plain JSON. */
  readonly type: string | undefined;
  /** The media types that a stored file may have; undefined for other bodies. */
  readonly allowed: readonly string[] | undefined;
  /** The columns of CSV, in their order. */
  readonly columns: readonly string[];
  /** Whether the CSV is for spreadsheets, which run cells as formulas. */
  readonly isForSpreadsheets: boolean;
  /** Lowercase header names, with the values of constant headers. */
  readonly headers: ReadonlyMap<string, string | undefined>;
}

/** `description` is the configuration's description, or else the generated one. `isWritten`: written by hand. */
export function contractOf(
  operation: ViewedOperation,
  view: ServiceView,
  description: ApiDescription | undefined,
  isWritten: boolean,
): Contract {
  const { plan, checked } = operation;
  const endpoint = plan.endpoint && description && matchingEndpoint(description, plan.endpoint);
  const access = view.plan.access.get(plan.name) ?? [];
  const statuses = statusesOf(operation, view).filter(({ reasons }) =>
    reasons.some(({ from }) => from !== 'service'),
  );
  return {
    parameters: parametersOf(endpoint),
    body: bodyOf(endpoint?.body),
    accepts: acceptedTypes(checked.operation.accepts),
    responses: checked.operation.responses.flatMap((response): ContractResponse[] => {
      // A response that is neither the default nor conditional is never sent.
      if (!response.default && response.if === undefined) return [];
      const schema = isWritten ? describedBody(response, endpoint) : undefined;
      return [
        {
          name: response.name.value,
          status: response.statuscode.value,
          described: schema && shapeOfSchema(schema),
          built: builtBody(response, operation),
          ...sentWith(response, operation),
        },
      ];
    }),
    statuses: new Set(statuses.map(({ status }) => status)),
    access: isOpen(access) ? undefined : new Map(access.map(({ name, scopes }) => [name, scopes])),
    limits: checked.operation.limits,
    idempotency: checked.operation.idempotency,
    tool: checked.operation.tool,
    isForKnownPages: view.plan.knownPages.has(plan.name),
    invalid: plan.invalid ?? 400,
    exceptions: exceptionsIn(operation, view),
    lists: allFulfillments(checked.operation.fulfillments).flatMap(({ fulfillment }) => {
      if (!('order' in fulfillment) || fulfillment.order === undefined) return [];
      const { order, page } = fulfillment;
      const orders = order.allow.map(({ name }) => name.value);
      return [
        {
          orders,
          default: order.default?.value,
          max: page?.max,
          ...numberedOf(page),
          filters: filtersOf(fulfillment),
        },
      ];
    }),
  };
}

function numberedOf(page: ListPage | undefined): Pick<ContractList, 'maxOffset' | 'isClamped'> {
  const isNumbered = page?.number !== undefined || page?.offset !== undefined;
  return { maxOffset: isNumbered ? page.maxOffset : undefined, isClamped: page?.isClamped === true };
}

/** The filters that clients can send for a list, in the order of the configuration; empty if a user function reads them. */
function filtersOf({ filter }: DataFulfillment): string[] {
  if (filter?.from?.kind === 'code') return [];
  return (filter?.allow ?? []).flatMap(({ name, operators, isPlain, separator }) =>
    operators.map((operator) => {
      const written = isPlain || operator === 'eq' ? name.value : `${name.value}[${operator}]`;
      return operator === 'in' && separator !== undefined ? `${written} with '${separator}'` : written;
    }),
  );
}

function exceptionsIn(operation: ViewedOperation, view: ServiceView): ContractException[] {
  const bodyOf = errorBodies(view.analysis.config);
  return withCalled(operation, view).flatMap((one) =>
    exceptionsOf(one.checked.operation).map((exception) =>
      contractException(exception, one, bodyOf, constantText),
    ),
  );
}

function parametersOf(endpoint: ApiEndpoint | undefined): ContractParameter[] {
  if (endpoint === undefined) return [];
  const inPath = pathParameters(endpoint.path);
  return endpoint.parameters.flatMap(({ name, in: span, required, schema }) => {
    if (span === 'cookie') return [];
    const shape = schema === undefined ? anything : shapeOfSchema(schema);
    const shown =
      span === 'path'
        ? `path parameter ${inPath.indexOf(name) + 1}`
        : `${span} parameter '${span === 'header' ? name.toLowerCase() : name}'`;
    return [{ name: shown, shape, isRequired: required && schema?.default === undefined }];
  });
}

function bodyOf(body: ApiBody | undefined): Contract['body'] {
  const schema = body?.json ?? body?.form?.schema;
  return body && schema && { shape: shapeOfSchema(schema), isRequired: body.required };
}

function sentWith(
  { name, header, etag, fileName, spreadsheet }: Response,
  { plan }: ViewedOperation,
): Pick<ContractResponse, 'type' | 'allowed' | 'columns' | 'isForSpreadsheets' | 'headers'> {
  const content = plan.responses.find((response) => response.name === name.value)?.content;
  return {
    type: content?.type,
    allowed: content?.file?.allowed,
    columns: content?.kind === 'csv' ? content.columns : [],
    isForSpreadsheets: spreadsheet,
    headers: new Map([
      ...header.map((line) => [line.name.value.toLowerCase(), constantText(line.value)] as const),
      ...(fileName === undefined ? [] : [['content-disposition', constantText(fileName)] as const]),
      ...(etag === undefined ? [] : [['etag', undefined] as const]),
    ]),
  };
}

function builtBody(response: Response, { checked, plan }: ViewedOperation): Shape | undefined {
  const omitted = plan.responses.find(({ name }) => name === response.name.value)?.omitted;
  const whole = wholeBody(response, { checked, plan });
  return whole === undefined || omitted === undefined ? whole : omittingShape(whole, omitted);
}

function wholeBody(response: Response, { checked, plan }: ViewedOperation): Shape | undefined {
  const { flow } = checked.analyzed;
  const planned = plan.responses.find(({ name }) => name === response.name.value);
  if (planned?.schema !== undefined) {
    const type = flow.built.get(planned.schema);
    return type === undefined ? anything : shapeOfType(type);
  }
  return planned?.mapped && mappedShape(planned.mapped, operationTypes({ checked, plan }));
}

type ShapeOf = (body: Body & { kind: 'value' }) => Shape;

/** Types of mapped values; rows have the same types even if a result may be empty. */
function operationTypes({ checked }: ViewedOperation): ShapeOf {
  const { flow, digits } = checked.analyzed;
  return (body) => {
    const environment = flow.environments.get(body.value);
    if (environment === undefined) return anything;
    return shapeOfType(sentType(typeOf(body.value, environment), digits.get(body)));
  };
}

function mappedShape(body: Body, shapeOf: ShapeOf): Shape {
  switch (body.kind) {
    case 'object':
      return objectShape(new Map(body.fields.map(({ key, value }) => [key, mappedShape(value, shapeOf)])));
    case 'entries': {
      const item = mappedShape(body.item, shapeOf);
      return body.take === 'every' ? listShape(item) : orNullShape(item);
    }
    case 'row': {
      const item = mappedShape(body.item, shapeOf);
      return body.row.isOptional ? orNullShape(item) : item;
    }
    case 'single':
      return listShape(mappedShape(body.item, shapeOf));
    case 'column':
      return listShape(anything);
    case 'value':
      return shapeOf(body);
  }
}
