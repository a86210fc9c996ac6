/** Keys of a schema that JavaScript's objects move to the front (decisions 7.7: output keys keep the order of the configuration). */
import type { Schema } from '../../config/model.js';
import type { Place } from '../../source.js';
import type { Rule } from '../rule.js';

export const keyOutOfOrder: Rule = ({ operations }, report) => {
  for (const { schema } of operations.flatMap((operation) => operation.responses)) {
    for (const { key, place } of schema === undefined ? [] : movedKeys(schema)) {
      report.add('key-out-of-order', place, { key });
    }
  }
};

/** A whole number below 2^32 - 1, written without leading zeros. */
const wholeNumber = /^(?:0|[1-9]\d{0,9})$/;

function movedKeys(schema: Schema): { readonly key: string; readonly place: Place }[] {
  switch (schema.kind) {
    case 'leaf':
      return [];
    case 'array':
      return movedKeys(schema.item);
    case 'object': {
      const inside = schema.fields.flatMap(({ value }) => movedKeys(value));
      const own = schema.fields.filter(({ key }, index) => wholeNumber.test(key) && isMoved(schema, index));
      return [...own.map(({ key, place }) => ({ key, place })), ...inside];
    }
  }
}

/** Whether a key that comes later in JSON stands before it. */
function isMoved({ fields }: Extract<Schema, { kind: 'object' }>, index: number): boolean {
  const own = Number(fields[index]?.key);
  return fields.slice(0, index).some(({ key }) => !wholeNumber.test(key) || Number(key) > own);
}
