/** TypeScript types of values. */
import { generic, listType, literal, name, recordType, union, type Type } from '../../code/code.js';
import { allKinds, isAnything, type ValueType } from '../../plan/model.js';
import type { RowPlan } from '../../plan/results/row-plan.js';
import type { CodeType } from './emitted-expression.js';
import type { Module } from './module.js';

/** `{ id: number; title: string | null }`, or `Row<'id' | 'title'>` if only the column names are known. */
export function rowType({ columns }: RowPlan, module: Module): Type {
  if ([...columns.values()].every(isAnything))
    return generic(module.runtime('Row'), union(...[...columns.keys()].map(literal)));
  return recordType([...columns].map(([key, type]) => ({ key, type: typeOfValue(type, module) })));
}

const plain = {
  boolean: name('boolean'),
  number: name('number'),
  string: name('string'),
  null: name('null'),
} as const;

/** The type of a value; object types do not list their fields. */
export function typeOfValue({ kinds, element, isExactNumber }: ValueType, module: Module): Type {
  if (isAnything({ kinds })) return module.runtime('Json');
  const isExact = isExactNumber === true && kinds.has('number') && kinds.has('string');
  const types = allKinds
    .filter((kind) => kinds.has(kind) && !(isExact && kind === 'string'))
    .map((kind) => {
      if (isExact && kind === 'number') return module.runtime('ExactNumber');
      switch (kind) {
        case 'array':
          return arrayType(element, module);
        case 'object':
          return module.runtime('JsonObject');
        default:
          return plain[kind];
      }
    });
  return union(...types);
}

/** Elements that may be arrays have the type of a JSON value. */
function arrayType(element: ValueType | undefined, module: Module): Type {
  if (element === undefined || element.kinds.has('array')) return listType(module.runtime('Json'));
  return listType(typeOfValue(element, module));
}

/** The code type of a value of this type. */
export function codeTypeOf({ kinds }: ValueType): CodeType {
  if (kinds.size !== 1) return 'json';
  return kinds.has('number') ? 'number' : kinds.has('string') ? 'text' : 'json';
}
