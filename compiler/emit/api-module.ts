/** src/api.ts: the models of the API description, and what each operation takes. */
import { isIgnoredHeader } from '../openapi/declared.js';
import { formFields, type FormField } from '../openapi/form.js';
import type { ApiBody, ApiParameter, ApiSchema } from '../openapi/api-model.js';
import { parameterReading } from '../openapi/parameter-style.js';
import type { ApiPlan, InputPlan } from '../plan/api-plan.js';
import { commentText } from './comment.js';
import { jsonLiteral, propertyKey } from './literal.js';
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
      `/** model ${commentText(name)} */\nexport const ${identifier}${type} = ${emitter.declaration(schema)};`,
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
  if (body?.multipart !== undefined) groups.push(...emitForm(body.multipart, body, emitter));
  return emitter.call('input', `{\n${groups.join('\n')}\n}`);
}

function emitForm(form: ApiSchema, { json, required }: ApiBody, emitter: ValidatorEmitter): string[] {
  const fields = formFields(form);
  const lines = fields.flatMap((field) => (field.isFile ? [] : [emitField(field, emitter)]));
  const files = fields.flatMap(({ name, isFile, ...field }) =>
    isFile && field.required && field.schema.format === 'binary' ? [name] : [],
  );
  return [
    ...(lines.length === 0 ? [] : [`form: {\n${lines.join('\n')}\n},`]),
    ...(files.length === 0 ? [] : [`files: ${jsonLiteral(files)},`]),
    ...(required && json === undefined ? ['formRequired: true,'] : []),
  ];
}

/** A field of a form is written like a query parameter; an object in it is JSON. */
function emitField({ name, schema, required }: FormField, emitter: ValidatorEmitter): string {
  const style = schema.types?.includes('object') === true ? 'json' : 'form';
  const parameter = {
    name,
    in: 'query',
    required,
    style,
    explode: true,
    schema,
    place: schema.place,
  } as const;
  return `${propertyKey(name)}: ${emitParameter(parameter, emitter)},`;
}

function emitParameter(parameter: ApiParameter, emitter: ValidatorEmitter): string {
  const { schema, required } = parameter;
  const reading = parameterReading(parameter);
  const code =
    schema === undefined || reading === undefined ? emitter.call('anything', '') : emitter.schema(schema);
  const standard = schema && defaultOf(schema);
  const isRequired = required && parameter.in !== 'path' && standard === undefined;
  const options = [
    ...(isRequired ? ['required: true'] : []),
    ...(standard === undefined ? [] : [`default: ${jsonLiteral(standard)}`]),
    ...Object.entries(reading ?? {}).map(([name, value]) => `${name}: ${jsonLiteral(value)}`),
  ];
  if (options.length === 0) return code;
  if (isRequired && options.length === 1) return emitter.call('required', code);
  return emitter.call('parameter', `${code}, { ${options.join(', ')} }`);
}

function defaultOf(schema: ApiSchema): unknown {
  if (schema.default !== undefined) return schema.default;
  for (const part of schema.allOf) {
    const standard = defaultOf(part);
    if (standard !== undefined) return standard;
  }
  return undefined;
}
