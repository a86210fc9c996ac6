/** Compares values with the types that a client declares for them. */
import type { ClientPlan } from '../../compiler/generate/plan/client/client-plan.js';
import type { ClientType } from '../../compiler/generate/plan/client/client-types.js';

/** The first place where a value does not have its type: `$.items[0].id: "7" is not number`. Undefined if there is none. */
export function mismatch(value: unknown, type: ClientType, plan: ClientPlan, path = '$'): string | undefined {
  const wrong = (): string => `${path}: ${JSON.stringify(value ?? null).slice(0, 80)} is not ${type.kind}`;
  switch (type.kind) {
    case 'unknown':
      return undefined;
    case 'string':
    case 'number':
    case 'boolean':
    case 'undefined':
      return typeof value === type.kind ? undefined : wrong();
    case 'null':
      return value === null ? undefined : wrong();
    case 'Blob':
      return value instanceof Blob ? undefined : wrong();
    case 'literal':
      return value === type.value ? undefined : `${wrong()} ${JSON.stringify(type.value)}`;
    case 'named': {
      const model = plan.models.find(({ name }) => name === type.name);
      return model === undefined ? `${path}: no type ${type.name}` : mismatch(value, model.type, plan, path);
    }
    case 'list':
    case 'lines':
      if (!Array.isArray(value)) return wrong();
      return first(value.map((one: unknown, index) => mismatch(one, type.of, plan, `${path}[${index}]`)));
    case 'tuple':
      if (!Array.isArray(value) || value.length !== type.of.length) return wrong();
      return first(type.of.map((one, index) => mismatch(value[index], one, plan, `${path}[${index}]`)));
    case 'union': {
      const found = type.of.map((one) => mismatch(value, one, plan, path));
      return found.includes(undefined) ? undefined : found.join(' and ');
    }
    case 'intersection':
      return first(type.of.map((one) => mismatch(value, one, plan, path)));
    case 'record': {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong();
      const fields = new Map(Object.entries(value));
      return first([
        ...type.fields.map(({ name, type: own, isOptional }) =>
          fields.has(name)
            ? mismatch(fields.get(name), own, plan, `${path}.${name}`)
            : isOptional
              ? undefined
              : `${path}.${name} is missing`,
        ),
        ...[...fields]
          .filter(([name]) => !type.fields.some((field) => field.name === name))
          .map(([name, one]) => type.others && mismatch(one, type.others, plan, `${path}.${name}`)),
      ]);
    }
  }
}

function first(found: readonly (string | undefined)[]): string | undefined {
  return found.find((one) => one !== undefined);
}
