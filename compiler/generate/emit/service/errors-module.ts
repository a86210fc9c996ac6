/** src/errors.ts: error bodies in formats defined by the configuration. */
import {
  call,
  constant,
  doc,
  exported,
  field,
  jsonFields,
  name,
  object,
  tallArray,
} from '../../code/code.js';
import type { ServicePlan } from '../../plan/plan.js';
import { emitErrorBody } from '../error-body.js';
import { emptyScope } from '../scope.js';
import { Module } from '../module/module.js';

/** Undefined if the configuration does not define error formats. */
export function emitErrors({ errors, configName }: ServicePlan): Module | undefined {
  if (typeof errors === 'string') return undefined;
  const module = new Module('src/errors.ts', configName);
  const forms = errors.map(({ statuses, type, schema }) => {
    if (schema === undefined) throw new Error('A form of errors has no schema.');
    const scope = { ...emptyScope(module), isOfError: true };
    const body = emitErrorBody(schema, scope, 'settings.errors');
    return object([...jsonFields({ statuses, type }), field('body', body)]);
  });
  module.add(
    doc('The bodies of errors: the first that fits the status.'),
    exported(constant(name('errors'), call(module.runtime('errorBodies'), tallArray(forms)))),
  );
  return module;
}
