/** Finds the first path step that reads a field which no possible value has. */
import type { Path } from '../../read/expression/ast.js';
import { typeAt } from './infer.js';
import type { Fields, ValueType } from './value-type.js';

export interface MissingField {
  readonly name: string;
  /** The existing fields. */
  readonly fields: Fields;
}

/** The first missing field on the path; undefined if every step can succeed. */
export function missingField(type: ValueType, path: Path): MissingField | undefined {
  for (const [index, step] of path.entries()) {
    if (step.kind === 'all') {
      const behind = typeAt(type, path.slice(0, index));
      return behind.element && missingField(behind.element, path.slice(index + 1));
    }
    if (step.kind !== 'name') continue;
    const fields = fieldsAt(typeAt(type, path.slice(0, index)));
    if (fields !== undefined && fields.typeOf(step.name) === undefined && !fields.names.includes(step.name))
      return { name: step.name, fields };
  }
  return undefined;
}

/** The fields that a name step can read; undefined if any field is possible. */
function fieldsAt({ kinds, fields, element }: ValueType): Fields | undefined {
  const own = kinds.has('object') ? fields : undefined;
  const ofFirst = kinds.has('array') && element !== undefined ? fieldsAt(element) : undefined;
  if (kinds.has('object') && kinds.has('array')) return undefined;
  return own ?? ofFirst;
}
