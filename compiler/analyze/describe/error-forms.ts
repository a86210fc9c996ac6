/** The error bodies from `settings.errors`, as schemas of a description. */
import type { Config, ErrorForm, Errors, Schema } from '../../read/config/config-model.js';
import { isPlainText } from '../../read/openapi/media-type.js';
import type { Expression } from '../../read/expression/ast.js';
import { elementOf, typeOf } from '../types/infer.js';
import type { ValueType } from '../types/value-type.js';
import { anyRequest, Environment } from '../types/visible-values.js';
import { schemaOf } from './generate-schema.js';
import type { JsonMap } from '../../read/json.js';

interface DescribedForm {
  /** The name of the schema under `components`. */
  readonly name: string;
  readonly contentType: string;
  readonly schema: JsonMap;
  readonly statuses: ErrorForm['statuses'];
}

/** The default error body, without `settings.errors`. */
const messageModel: JsonMap = {
  type: 'object',
  required: ['message'],
  properties: { message: { type: 'string' } },
};

/** Problem details (RFC 9457), with the fields that the runtime adds. */
const problemModel: JsonMap = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'requestId'],
  properties: {
    ...{ type: { type: 'string' }, title: { type: 'string' }, status: { type: 'integer' } },
    ...{ detail: { type: 'string' }, requestId: { type: 'string' }, code: { type: 'string' } },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['in', 'name', 'pointer', 'message'],
        properties: {
          ...{ in: { type: 'string' }, name: { type: 'string' } },
          ...{ pointer: { type: ['string', 'null'] }, message: { type: 'string' } },
        },
      },
    },
  },
};

/** The error bodies of a service, by status. Records which of them a description refers to. */
export class ErrorForms {
  readonly #forms: readonly DescribedForm[];
  readonly #used = new Set<DescribedForm>();

  constructor({ settings, operations }: Config) {
    // Mapped models are schemas under `components`, too.
    const taken = operations.flatMap(({ mappings }) => mappings.map(({ model }) => model.value));
    this.#forms = formsOf(settings.errors, new Set(taken));
  }

  /** The content of an error that does not define its own body. */
  contentOf(status: number): { readonly contentType: string; readonly schema: JsonMap } {
    const form = this.#forms.find(({ statuses }) => statuses?.some((one) => isOf(one, status)) !== false);
    if (form === undefined) throw new Error(`No form for errors with status ${status}.`);
    this.#used.add(form);
    return { contentType: form.contentType, schema: { $ref: `#/components/schemas/${form.name}` } };
  }

  /** The schemas to which `contentOf` has referred. */
  get schemas(): JsonMap {
    const used = this.#forms.filter((form) => this.#used.has(form));
    return Object.fromEntries(used.map(({ name, schema }) => [name, schema]));
  }
}

function formsOf(errors: Errors, taken: ReadonlySet<string>): DescribedForm[] {
  const names = new Set(taken);
  const nameOf = (wished: string): string => {
    let name = wished;
    for (let count = 2; names.has(name); count += 1) name = `${wished}${count}`;
    names.add(name);
    return name;
  };
  const own = typeof errors === 'string' ? [] : errors;
  return [
    ...own.map(({ statuses, contentType, schema }) => ({
      ...{ name: nameOf('Error'), statuses },
      contentType: mediaType(contentType?.value),
      schema:
        schema === undefined
          ? {}
          : isPlainText(contentType?.value)
            ? { type: 'string' }
            : schemaOfForm(schema),
    })),
    errors === 'problem'
      ? {
          ...{ name: nameOf('Problem'), statuses: undefined },
          ...{ contentType: 'application/problem+json', schema: problemModel },
        }
      : {
          ...{ name: nameOf('Error'), statuses: undefined },
          ...{ contentType: 'application/json', schema: messageModel },
        },
  ];
}

function isOf(statuses: number | string, status: number): boolean {
  return typeof statuses === 'number' ? statuses === status : statuses.startsWith(String(status).charAt(0));
}

/** The media type without parameters such as `charset`. */
function mediaType(written = 'application/json'): string {
  const [type = ''] = written.split(';', 1);
  return type.trim().toLowerCase();
}

function schemaOfForm(schema: Schema): JsonMap {
  const types = new Map<Expression, ValueType>();
  const walk = (part: Schema, environment: Environment): void => {
    switch (part.kind) {
      case 'leaf':
        types.set(part.value, typeOf(part.value, environment));
        return;
      case 'object':
        for (const { value } of part.fields) walk(value, environment);
        return;
      case 'array': {
        const type = elementOf(typeOf(part.list, environment));
        walk(part.item, environment.withElement({ key: '@', type }));
      }
    }
  };
  walk(schema, Environment.of(anyRequest));
  return schemaOf(schema, ({ value }) => types.get(value));
}
