/** Reports responses that the API description does not allow. */
import type { Response, Schema } from '../../../read/config/config-model.js';
import { neverHasBody } from '../../../read/config/status.js';
import {
  didYouMean,
  meantOr,
  ordinaryError,
  warning,
} from '../../../read/diagnostics/catalogue/entry-messages.js';
import { nearest } from '../../../read/diagnostics/suggest.js';
import type { Expression } from '../../../read/expression/ast.js';
import type { ApiEndpoint, ApiSchema, ApiType } from '../../../read/openapi/api-model.js';
import { contentKind, fitsMediaType, writtenTypes } from '../../../read/openapi/media-type.js';
import { expectsOthers, isNullable, isOneSchema } from '../../../read/openapi/schema-part.js';
import type { Span } from '../../../read/source.js';
import { describedFields, type Body } from '../../mapping/body-parts.js';
import { describedBody, describedStatus } from '../../mapping/described.js';
import type { Omitted } from '../../../../runtime/responses/omitted-fields.js';
import { omittedFields } from '../../operations/omitted-fields.js';
import type { AnalyzedOperation } from '../../operations/analyzed-operation.js';
import { typeOf } from '../../types/infer.js';
import { wordsOf } from '../../types/join-types.js';
import { sentType } from '../../types/sent-digits.js';
import { isAnything, type Kind, type ValueType } from '../../types/value-type.js';
import { descriptionRule } from '../rule.js';
import { quotedList } from '../../../read/diagnostics/quoted-list.js';

/**
 * Reports responses built by a schema or by mappings that the API description does not allow: wrong types, missing or additional fields,
 * nulls.
 */
export const responseType = descriptionRule(
  {
    'response-type': ordinaryError(
      { field: 'text', actual: 'text', described: 'text', nearest: 'suggestion' },
      (p: { field: string; actual: string; described: string; nearest?: string | undefined }) => ({
        message: `${p.field} is ${p.actual}, but the API description declares ${p.described}.`,
        hint: didYouMean(p.nearest) ?? 'Change the value here, or the type in the API description.',
      }),
    ),
    'response-value': warning(
      { field: 'text', values: 'text', described: 'text' },
      (p: { field: string; values: readonly string[]; described: readonly string[] }) => ({
        message: `${p.field} can be ${quotedList(p.values)}, which the API description does not list.`,
        hint: `Add ${quotedList(p.values)} to the enum of the description, or return only ${quotedList(p.described, ' or ')}.`,
      }),
    ),
    'omitted-field': warning({ field: 'text', value: 'text' }, (p: { field: string; value: string }) => ({
      message: `'${p.field}' is omitted from the response if it is ${p.value}, but the API description requires it.`,
      hint: "Remove it from 'required' in the description, or write 'omitNull: false' on the response.",
    })),
    'null-in-response': warning({ field: 'text', type: 'word' }, (p: { field: string; type: string }) => ({
      message: `${p.field} can be null, but the API description does not allow it.`,
      hint: `Allow null in the description (3.0: nullable: true; 3.1: type: [${p.type}, 'null']), make the column NOT NULL, or select only rows that have it.`,
    })),
    'missing-response-field': ordinaryError({ field: 'text' }, (p: { field: string }) => ({
      message: `The API description requires the field '${p.field}' here.`,
      hint: `Write '${p.field}: ' and an expression in the schema, or remove '${p.field}' from 'required' in the API description.`,
    })),
    'undescribed-response-field': warning(
      { field: 'text', nearest: 'suggestion', fields: 'text' },
      (p: { field: string; nearest: string | undefined; fields: readonly string[] }) => ({
        message: `The API description has no field '${p.field}' here.`,
        ...meantOr(
          p.nearest,
          `Add it to the description, or remove it. Its fields are ${quotedList(p.fields)}.`,
        ),
      }),
    ),
  },
  ({ analysis, report }) => {
    /** `name` is the field's name for the beginning of a message. `isNullSent`: false for a field that is left out if it is null. */
    const value = (name: string, type: ValueType, schema: ApiSchema, span: Span, isNullSent = true): void => {
      const kinds = [...type.kinds].filter((kind) => kind !== 'null');
      const allowed = kindsOf(schema);
      if (allowed === undefined) return;
      // A value that is always null is reported where it is read.
      if (kinds.length > 0 && !kinds.some((kind) => allowed.has(kind))) {
        const actual = kinds.map((kind) => words[kind]).join(' or ');
        report('response-type', span, { field: name, actual, described: (schema.types ?? []).join(' or ') });
        return;
      }
      const named = wordsOf(type);
      const { enum: listed } = schema;
      const others = [...(named ?? [])].filter((word) => listed?.includes(word) === false);
      if (named !== undefined && others.length === named.size && others.length > 0)
        report('response-type', span, {
          field: name,
          actual: quotedList(others, ' or '),
          described: (listed ?? []).map((word) => `'${String(word)}'`).join(' or '),
          nearest: others.length === 1 ? nearest(others[0] ?? '', (listed ?? []).map(String), 2) : undefined,
        });
      else if (others.length > 0 && type.isFiltered !== true)
        report('response-value', span, {
          field: name,
          values: others,
          described: (listed ?? []).map(String),
        });
      else if (isNullSent && type.isOftenNull === true && !isNullable(schema))
        report('null-in-response', span, { field: name, type: schema.types?.[0] ?? 'string' });
      const { element } = type;
      if (element !== undefined && schema.items !== undefined && isOneSchema(schema.items))
        value(`An element of ${name.replace(/^A/, 'a')}`, element, schema.items, span);
    };
    const part = (
      name: string,
      node: Schema,
      schema: ApiSchema,
      span: Span,
      { built, omitted }: PartContext,
      isField = false,
    ): void => {
      if (!isOneSchema(schema)) return;
      const type = built.get(node);
      if (node.kind === 'leaf') {
        const isNullSent = !isField || omitted === undefined;
        if (type !== undefined && node.isFaulty !== true)
          value(name, type, schema, node.value.span, isNullSent);
        return;
      }
      if (kindsOf(schema)?.has(node.kind) === false) {
        report('response-type', span, {
          field: name,
          actual: words[node.kind],
          described: (schema.types ?? []).join(' or '),
        });
        return;
      }
      if (node.kind === 'array') {
        if (schema.items !== undefined)
          part(`An element of ${name.replace(/^A/, 'a')}`, node.item, schema.items, span, { built, omitted });
        return;
      }
      const keys = node.fields.map(({ key }) => key);
      const names = [...schema.properties.keys()];
      for (const field of node.fields) {
        const property = schema.properties.get(field.key);
        if (property !== undefined) {
          part(`'${field.key}'`, field.value, property, field.span, { built, omitted }, true);
          const left = isConstant(field.value) ? undefined : omittedValue(built.get(field.value), omitted);
          if (left !== undefined && schema.required.includes(field.key))
            report('omitted-field', field.span, { field: field.key, value: left });
        } else if (names.length > 0 && !expectsOthers(schema)) {
          const free = names.filter((one) => !keys.includes(one));
          report('undescribed-response-field', field.span, {
            field: field.key,
            nearest: nearest(field.key, free),
            fields: names,
          });
        }
      }
      for (const required of schema.required) {
        const isWriteOnly = !schema.properties.has(required);
        if (keys.includes(required) || isWriteOnly) continue;
        const free = keys.filter((key) => !schema.properties.has(key));
        // The similar field has its own diagnostic.
        if (nearest(required, free) === undefined)
          report('missing-response-field', span, { field: required });
      }
    };
    const checked = new Set<Expression>();
    const mapped = (body: Body, described: ApiSchema, { flow, digits }: AnalyzedOperation): void => {
      for (const { key, value: mapping, schema } of describedFields(body, described)) {
        if (mapping.kind !== 'value' && mapping.kind !== 'column') continue;
        const environment = flow.environments.get(mapping.value);
        if (environment === undefined || checked.has(mapping.value) || !isOneSchema(schema)) continue;
        // A model can occur in several responses.
        checked.add(mapping.value);
        // Nulls of rows that are missing are decided by the models around them.
        const { isOftenNull: _, ...own } = typeOf(mapping.value, environment);
        const type = sentType(own, digits.get(mapping));
        const { span } = mapping.value;
        if (mapping.kind === 'value') value(`'${key}'`, type, schema, span);
        else if (schema.items !== undefined && isOneSchema(schema.items))
          value(`An element of '${key}'`, type.element ?? type, schema.items, span);
      }
    };
    return {
      response: (response, { analyzed }) => {
        const { schema, fields } = response;
        const described = describedBody(response, analyzed.endpoint);
        if (described === undefined) return;
        const span = fields.get('schema');
        if (schema !== undefined && span !== undefined)
          part('The response', schema, described, span, {
            built: analyzed.flow.built,
            omitted: omittedFields(response, analysis.config.settings),
          });
        const body = analyzed.mapped.bodies.get(response);
        if (body !== undefined) mapped(body, described, analyzed);
      },
    };
  },
);

/** Whether the author of the configuration chose the value. */
function isConstant(schema: Schema): boolean {
  return schema.kind === 'leaf' && /^(?:text|number|uuid|now)$/.test(schema.value.kind);
}

interface PartContext {
  readonly built: ReadonlyMap<Schema, ValueType>;
  readonly omitted: Omitted | undefined;
}

/** The value of a type with which a field is left out; undefined if it certainly is sent, or if little is known of it. */
function omittedValue(type: ValueType | undefined, omitted: Omitted | undefined): string | undefined {
  if (type === undefined || omitted === undefined || isAnything(type)) return undefined;
  if (type.isOftenNull === true) return 'null';
  const kind =
    omitted === 'empty' ? [...type.kinds].find((one) => emptyValues[one] !== undefined) : undefined;
  return kind && emptyValues[kind];
}

const emptyValues: Readonly<Partial<Record<Kind, string>>> = {
  ...{ string: 'an empty string', number: '0', boolean: 'false', array: 'an empty list' },
};

const words: Readonly<Record<Kind, string>> = {
  null: 'null',
  boolean: 'a boolean',
  number: 'a number',
  string: 'a string',
  array: 'a list',
  object: 'an object',
};

const kindOfType: Readonly<Record<ApiType, Kind>> = {
  ...{ null: 'null', boolean: 'boolean', number: 'number', integer: 'number', string: 'string' },
  ...{ array: 'array', object: 'object' },
};

function kindsOf({ types }: ApiSchema): ReadonlySet<Kind> | undefined {
  return types && new Set(types.map((type) => kindOfType[type]));
}

/** Reports responses without a body where the API description declares one. */
export const responseWithoutBody = descriptionRule(
  {
    'response-without-body': warning(
      { name: 'text', status: 'text' },
      (p: { name: string; status: string }) => ({
        message: `Response '${p.name}' has no body, but the API description has one for status ${p.status}.`,
        hint: "Add a 'schema', map the model (Syntax B), or remove 'content' from the API description.",
      }),
    ),
  },
  ({ report }) => ({
    operation: ({ responses, mappings }, { analyzed }) => {
      const { endpoint, mapped } = analyzed;
      if (endpoint === undefined || endpoint.method === 'HEAD') return;
      // The reason for unused mappings has been reported.
      if (mapped.findings.hasErrors || (mappings.length > 0 && mapped.bodies.size === 0)) return;
      for (const response of responses) {
        const isUsed = response.default || response.if !== undefined;
        if (!isUsed || response.fields.has('schema') || mapped.bodies.has(response)) continue;
        const status = promisedStatus(response, endpoint);
        if (status !== undefined)
          report('response-without-body', response.name.span, { name: response.name.value, status });
      }
    },
  }),
);

/** The status or range for which the description declares a JSON body; `default` usually describes errors. */
function promisedStatus({ statuscode }: Response, { responses }: ApiEndpoint): string | undefined {
  if (neverHasBody(statuscode.value)) return undefined;
  const status = String(statuscode.value);
  const found = [status, `${status.charAt(0)}XX`].find((key) => responses.has(key));
  return responses.get(found ?? '')?.json === undefined ? undefined : found;
}

/** Reports responses whose content type the API description does not declare for their status. */
export const undescribedContentType = descriptionRule(
  {
    'undescribed-content-type': warning(
      { type: 'text', status: 'text', types: 'text' },
      (p: { type: string; status: string; types: readonly string[]; isWritten: boolean }) => ({
        message: `The API description has no content type ${p.type} for status ${p.status}.`,
        hint: `It has ${p.types.join(', ')}: ${p.isWritten ? `write one of these as 'contentType'` : `write it as 'contentType'`}, or describe ${p.type}.`,
      }),
    ),
  },
  ({ report }) => ({
    response: (response, { analyzed: { endpoint, mapped } }) => {
      const key = endpoint && describedStatus(response, endpoint);
      const types = endpoint?.responses.get(key ?? '')?.contentTypes ?? [];
      const { schema, contentType, name } = response;
      if (key === undefined || types.length === 0 || (schema === undefined && !mapped.bodies.has(response)))
        return;
      const isWritten = contentType !== undefined;
      const sent = isWritten ? writtenTypes(contentType) : [{ value: 'application/json', span: name.span }];
      for (const { value: type, span } of sent) {
        const fits = (described: string): boolean =>
          fitsMediaType(type, described) || (!isWritten && contentKind(described) === 'json');
        if (!types.some(fits))
          report('undescribed-content-type', span, { type, status: key, types, isWritten });
      }
    },
  }),
);

/** Reports responses whose status code the API description does not declare for their endpoint. */
export const undescribedStatus = descriptionRule(
  {
    'undescribed-status': warning(
      { operation: 'text', statuses: 'text' },
      (p: { status: number; operation: string; statuses: readonly string[] }) => ({
        message: `The API description has no response ${p.status} for '${p.operation}'.`,
        hint: `The described statuses are ${p.statuses.join(', ')}: write one of these, or describe ${p.status}.`,
      }),
    ),
  },
  ({ report }) => ({
    response: (response, { operation, analyzed: { endpoint } }) => {
      if (endpoint === undefined || endpoint.responses.size === 0) return;
      if (describedStatus(response, endpoint) !== undefined) return;
      report('undescribed-status', response.statuscode.span, {
        status: response.statuscode.value,
        operation: operation.name.value,
        statuses: [...endpoint.responses.keys()],
      });
    },
  }),
);
