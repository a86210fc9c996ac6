/** Types of values as TypeScript has them. */
import { allKinds, isAnything, type ValueType } from '../../plan/model.js';
import type { RowPlan } from '../../plan/results/row-plan.js';
import type { CodeType } from './emitted-expression.js';
import { propertyKey, stringLiteral } from '../../../notation/typescript-writer.js';
import type { Module } from './module.js';

/** `{ id: number; title: string | null }`, or `Row<'id' | 'title'>` where nothing but the names is known; ready for formatting. */
export function rowTypeText({ columns }: RowPlan, module: Module): string {
  if ([...columns.values()].every(isAnything))
    return `${module.runtime('Row')}<${[...columns.keys()].map(stringLiteral).join(' | ')}>`;
  const fields = [...columns].map(([name, type]) => `${propertyKey(name)}: ${typeText(type, module)};`);
  return `{\n${fields.join('\n')}\n}`;
}

const plain = { boolean: 'boolean', number: 'number', string: 'string', null: 'null' } as const;

/** The type of a value; of an object no more than that it is one. */
export function typeText({ kinds, element, isExactNumber }: ValueType, module: Module): string {
  if (isAnything({ kinds })) return module.runtime('Json');
  const isExact = isExactNumber === true && kinds.has('number') && kinds.has('string');
  const texts = allKinds
    .filter((kind) => kinds.has(kind) && !(isExact && kind === 'string'))
    .map((kind) => {
      if (isExact && kind === 'number') return module.runtime('ExactNumber');
      switch (kind) {
        case 'array':
          return arrayText(element, module);
        case 'object':
          return module.runtime('JsonObject');
        default:
          return plain[kind];
      }
    });
  return texts.join(' | ');
}

/** Elements that may be arrays again are any values. */
function arrayText(element: ValueType | undefined, module: Module): string {
  if (element === undefined || element.kinds.has('array')) return `${module.runtime('Json')}[]`;
  const text = typeText(element, module);
  return text.includes(' ') ? `(${text})[]` : `${text}[]`;
}

/** The code of a value of that type. */
export function codeTypeOf({ kinds }: ValueType): CodeType {
  if (kinds.size !== 1) return 'json';
  return kinds.has('number') ? 'number' : kinds.has('string') ? 'text' : 'json';
}
