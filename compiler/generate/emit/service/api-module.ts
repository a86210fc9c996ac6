/** src/api.ts: the models of the API description, and the parameters and bodies of each operation. */
import type { ApiPlan, FormPlan, InputPlan, ParameterPlan } from '../../plan/api-plan.js';
import { commentText } from '../../../notation/typescript-writer.js';
import { jsonLiteral, propertyKey } from '../../../notation/typescript-writer.js';
import { Module } from '../module/module.js';
import { ValidatorEmitter } from './validator.js';

/** The path of the module without its ending. */
export const apiModule = 'src/api';

export function emitApi({ fileName, models, inputs }: ApiPlan, configName: string): Module {
  const module = new Module(`${apiModule}.ts`, configName);
  const emitter = new ValidatorEmitter(module, models);
  module.add(
    `// Parameters and bodies of requests, as the API description ${commentText(fileName)} declares them.`,
  );
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

function emitInput({ groups, body, form }: InputPlan, emitter: ValidatorEmitter): string {
  const fields = groups.map(({ location, parameters }) => emitGroup(location, parameters, emitter));
  if (body !== undefined) {
    const schema = emitter.schema(body.schema);
    fields.push(`body: ${body.isRequired ? emitter.call('required', schema) : schema},`);
  }
  if (form !== undefined) fields.push(...emitForm(form, emitter));
  return emitter.call('input', `{\n${fields.join('\n')}\n}`);
}

function emitGroup(name: string, parameters: readonly ParameterPlan[], emitter: ValidatorEmitter): string {
  const lines = parameters.map(
    (parameter) => `${propertyKey(parameter.name)}: ${emitParameter(parameter, emitter)},`,
  );
  return `${name}: {\n${lines.join('\n')}\n},`;
}

function emitForm({ fields, files, isRequired }: FormPlan, emitter: ValidatorEmitter): string[] {
  return [
    ...(fields.length === 0 ? [] : [emitGroup('form', fields, emitter)]),
    ...(files.length === 0 ? [] : [`files: ${jsonLiteral(files)},`]),
    ...(isRequired ? ['formRequired: true,'] : []),
  ];
}

function emitParameter(parameter: ParameterPlan, emitter: ValidatorEmitter): string {
  const { schema, isRequired, format, default: standard } = parameter;
  const code = schema === undefined ? emitter.call('any') : emitter.schema(schema);
  const options = [
    ...(isRequired ? ['required: true'] : []),
    ...(standard === undefined ? [] : [`default: ${jsonLiteral(standard)}`]),
    ...Object.entries(format).map(([name, value]) => `${name}: ${jsonLiteral(value)}`),
  ];
  if (options.length === 0) return code;
  if (isRequired && options.length === 1) return emitter.call('required', code);
  return emitter.call('parameter', `${code}, { ${options.join(', ')} }`);
}
