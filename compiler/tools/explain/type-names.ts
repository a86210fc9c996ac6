/** Types in words: `integer or null`, `one of 'open', 'closed'`. */
import type { ApiSchema } from '../../read/openapi/api-model.js';
import { allKinds, type ValueType } from '../../analyze/types/value-type.js';

/** Null where nothing is known. */
export function typeName({ kinds, words, constant, element }: ValueType): string | null {
  if (constant !== undefined) return constant === null ? 'null' : 'constant';
  if (kinds.size === allKinds.length) return null;
  const names = allKinds
    .filter((kind) => kinds.has(kind))
    .map((kind) => {
      if (kind === 'string' && words !== undefined)
        return [...words].map((word) => JSON.stringify(word)).join(' | ');
      const inside = kind === 'array' && element !== undefined ? typeName(element) : null;
      return inside === null ? kind : `${kind} of ${inside}`;
    });
  return names.join(' or ');
}

/** Its name in the API description; undefined if that has no type, or more than a type. */
export function describedName({ types, format, ...others }: ApiSchema): string | undefined {
  const isMore = others.enum !== undefined || types?.some((type) => type === 'array' || type === 'object');
  if (types === undefined || isMore === true) return undefined;
  return `${types.join(' or ')}${format === undefined ? '' : ` (${format})`}`;
}
