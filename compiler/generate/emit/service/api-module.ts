/** src/api.ts: the models of the API description, and the parameters and bodies of each operation. */
import {
  comment,
  constant,
  doc,
  exported,
  field,
  fieldOf,
  json,
  jsonFields,
  literal,
  name,
  object,
  tallObject,
  type Code,
  type Field,
} from '../../code/code.js';
import type { ApiPlan, FormPlan, InputPlan, ParameterPlan } from '../../plan/api-plan.js';
import { Module } from '../module/module.js';
import { ValidatorEmitter } from './validator.js';

/** Module path without extension. */
export const apiModule = 'src/api';

export function emitApi({ fileName, models, inputs }: ApiPlan, configName: string): Module {
  const module = new Module(`${apiModule}.ts`, configName);
  const emitter = new ValidatorEmitter(module, models);
  module.add(comment(`Parameters and bodies of requests, as the API description ${fileName} declares them.`));
  for (const model of models) module.add(doc(`model ${model.name}`), exported(emitter.constant(model)));
  for (const input of inputs)
    module.add(doc(input.operation), exported(constant(name(input.identifier), emitInput(input, emitter))));
  return module;
}

function emitInput({ groups, body, form }: InputPlan, emitter: ValidatorEmitter): Code {
  const fields = groups.map(({ location, parameters }) => emitGroup(location, parameters, emitter));
  if (body !== undefined) {
    const schema = emitter.schema(body.schema);
    fields.push(field('body', body.isRequired ? emitter.call('required', schema) : schema));
  }
  if (form !== undefined) fields.push(...emitForm(form, emitter));
  return emitter.call('input', tallObject(fields));
}

function emitGroup(group: string, parameters: readonly ParameterPlan[], emitter: ValidatorEmitter): Field {
  const fields = parameters.map((parameter) => field(parameter.name, emitParameter(parameter, emitter)));
  return field(group, tallObject(fields));
}

function emitForm({ fields, files, isRequired }: FormPlan, emitter: ValidatorEmitter): Field[] {
  return [
    ...(fields.length === 0 ? [] : [emitGroup('form', fields, emitter)]),
    ...fieldOf('files', files.length === 0 ? undefined : json(files)),
    ...fieldOf('formRequired', isRequired ? literal(true) : undefined),
  ];
}

function emitParameter(parameter: ParameterPlan, emitter: ValidatorEmitter): Code {
  const { schema, isRequired, format, default: standard } = parameter;
  const code = schema === undefined ? emitter.call('any') : emitter.schema(schema);
  const options = [
    ...fieldOf('required', isRequired ? literal(true) : undefined),
    ...jsonFields({ default: standard, ...format }),
  ];
  if (options.length === 0) return code;
  if (isRequired && options.length === 1) return emitter.call('required', code);
  return emitter.call('parameter', code, object(options));
}
