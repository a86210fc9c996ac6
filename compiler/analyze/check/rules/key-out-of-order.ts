/** Keys of a schema that JavaScript's objects move to the front (decisions 7.7: output keys keep the order of the configuration). */
import type { Schema, SchemaField } from '../../../read/config/config-model.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Span } from '../../../read/source.js';
import { rule } from '../rule.js';

export const keyOutOfOrder = rule(
  {
    'key-out-of-order': warning((p: { key: string }) => ({
      message: `The key '${p.key}' is first in the response: JSON objects order integer keys first.`,
      hint: 'Rename the key if the order matters.',
    })),
  },
  ({ report }) => {
    const check = (schema: Schema | undefined): void => {
      for (const { key, span } of schema === undefined ? [] : movedKeys(schema))
        report('key-out-of-order', span, { key });
    };
    return {
      response: ({ schema }) => {
        check(schema);
      },
      request: ({ body, multipart }) => {
        check(body);
        const fields = multipart.map(({ name, value }): SchemaField => {
          return { key: name.value, span: name.span, value: { kind: 'leaf', value } };
        });
        check({ kind: 'object', fields });
      },
    };
  },
);

/** A whole number below 2^32 - 1, written without leading zeros. */
const wholeNumber = /^(?:0|[1-9]\d{0,9})$/;

function movedKeys(schema: Schema): { readonly key: string; readonly span: Span }[] {
  switch (schema.kind) {
    case 'leaf':
      return [];
    case 'array':
      return movedKeys(schema.item);
    case 'object': {
      const inside = schema.fields.flatMap(({ value }) => movedKeys(value));
      const own = schema.fields.filter(({ key }, index) => wholeNumber.test(key) && isMoved(schema, index));
      return [...own.map(({ key, span }) => ({ key, span })), ...inside];
    }
  }
}

/** Whether a key that follows in JSON precedes it here. */
function isMoved({ fields }: Extract<Schema, { kind: 'object' }>, index: number): boolean {
  const own = Number(fields[index]?.key);
  return fields.slice(0, index).some(({ key }) => !wholeNumber.test(key) || Number(key) > own);
}
