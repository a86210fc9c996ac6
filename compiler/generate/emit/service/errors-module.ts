/** src/errors.ts: the bodies of errors in forms of the configuration. */
import type { ServicePlan } from '../../plan/plan.js';
import { emitErrorBody } from '../error-body.js';
import { emptyScope } from '../scope.js';
import { stringLiteral } from '../../../notation/typescript-writer.js';
import { Module } from '../module/module.js';

/** Undefined where no form is of the configuration. */
export function emitErrors({ errors, configName }: ServicePlan): Module | undefined {
  if (typeof errors === 'string') return undefined;
  const module = new Module('src/errors.ts', configName);
  const forms = errors.map(({ statuses, contentType, schema }) => {
    if (schema === undefined) throw new Error('A form of errors has no schema.');
    const scope = { ...emptyScope(module), error: 'error' };
    const fields = [
      ...(statuses === undefined ? [] : [`statuses: [${statuses.map(statusLiteral).join(', ')}]`]),
      `type: ${stringLiteral(contentType?.value ?? 'application/json; charset=utf-8')}`,
      `body: ${emitErrorBody(schema, scope, 'settings.errors')}`,
    ];
    return `{ ${fields.join(', ')} },`;
  });
  module.add(
    `/** The bodies of errors: the first that fits the status. */\nexport const errors = ${module.runtime('errorBodies')}([\n${forms.join('\n')}\n]);`,
  );
  return module;
}

function statusLiteral(status: number | string): string {
  return typeof status === 'number' ? String(status) : stringLiteral(status);
}
