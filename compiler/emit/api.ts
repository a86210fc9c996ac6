/** src/api.ts: the models of the API description, and what each operation takes. */
import type { ApiParameter, ApiSchema } from '../openapi/model.js';
import { isIgnoredHeader } from '../openapi/declared.js';
import type { ApiPlan, InputPlan } from '../plan/api.js';
import { commentText } from './comment.js';
import { jsonLiteral, propertyKey, stringLiteral } from './literal.js';
import { Module } from './module.js';
import { ValidatorEmitter } from './validator.js';

/** The path of the module without its ending. */
export const apiModule = 'src/api';

export function emitApi({ fileName, models, inputs }: ApiPlan, configName: string): Module {
  const module = new Module(`${apiModule}.ts`, configName);
  const emitter = new ValidatorEmitter(module, models);
  module.add(`// What the API description ${commentText(fileName)} declares of requests.`);
  for (const { identifier, name, schema } of models) {
    const type = emitter.refersToItself(schema) ? `: ${emitter.schemaType}` : '';
    module.add(
      `/** ${commentText(name)} */\nexport const ${identifier}${type} = ${emitter.declaration(schema)};`,
    );
  }
  for (const input of inputs) {
    module.add(
      `/** ${commentText(input.operation)} */\nexport const ${input.identifier} = ${emitInput(input, emitter)};`,
    );
  }
  return module;
}

function emitInput({ endpoint: { parameters, body } }: InputPlan, emitter: ValidatorEmitter): string {
  const groups = (['path', 'query', 'header'] as const).flatMap((location) => {
    const declared = parameters.filter(
      (parameter) => parameter.in === location && !(location === 'header' && isIgnoredHeader(parameter.name)),
    );
    const lines = declared.map(
      (parameter) => `${propertyKey(parameter.name)}: ${emitParameter(parameter, emitter)},`,
    );
    return lines.length === 0 ? [] : [`${location}: {\n${lines.join('\n')}\n},`];
  });
  if (body?.json !== undefined) {
    const schema = emitter.schema(body.json);
    // Where a form may come instead, a body that is no JSON is not missing.
    const isRequired = body.required && body.multipart === undefined;
    groups.push(`body: ${isRequired ? emitter.call('required', schema) : schema},`);
  }
  return emitter.call('input', `{\n${groups.join('\n')}\n}`);
}

function emitParameter(parameter: ApiParameter, emitter: ValidatorEmitter): string {
  const { schema, required } = parameter;
  const reading = readingOf(parameter);
  const code =
    schema === undefined || reading === undefined ? emitter.call('anything', '') : emitter.schema(schema);
  const standard = schema && defaultOf(schema);
  const isRequired = required && parameter.in !== 'path' && standard === undefined;
  const options = [
    ...(isRequired ? ['required: true'] : []),
    ...(standard === undefined ? [] : [`default: ${jsonLiteral(standard)}`]),
    ...(reading ?? []),
  ];
  if (options.length === 0) return code;
  if (isRequired && options.length === 1) return emitter.call('required', code);
  return emitter.call('parameter', `${code}, { ${options.join(', ')} }`);
}

const separators: Readonly<Record<string, string>> = {
  form: ',',
  simple: ',',
  spaceDelimited: ' ',
  pipeDelimited: '|',
};

/** The options that tell how the text of a parameter is read; undefined for a style that is not understood. */
function readingOf({ style, explode, schema }: ApiParameter): string[] | undefined {
  if (style === 'json') return ['json: true'];
  if (schema === undefined || !isKind(schema, 'array')) {
    if (schema === undefined || !isKind(schema, 'object'))
      return ['form', 'simple'].includes(style) ? [] : undefined;
    return style === 'deepObject' ? ['fields: true'] : undefined;
  }
  const separator = separators[style];
  if (separator === undefined) return undefined;
  return explode && style !== 'simple' ? [] : [`separator: ${stringLiteral(separator)}`];
}

/** Whether the schema, or a part that must fit too, is of that type or speaks of it. */
function isKind(schema: ApiSchema, type: 'array' | 'object'): boolean {
  const { types, items, properties, allOf, anyOf, oneOf } = schema;
  if (types?.includes(type) === true) return true;
  if (types === undefined && (type === 'array' ? items !== undefined : properties.size > 0)) return true;
  return [...allOf, ...anyOf, ...oneOf].some((part) => isKind(part, type));
}

function defaultOf(schema: ApiSchema): unknown {
  if (schema.default !== undefined) return schema.default;
  for (const part of schema.allOf) {
    const standard = defaultOf(part);
    if (standard !== undefined) return standard;
  }
  return undefined;
}
