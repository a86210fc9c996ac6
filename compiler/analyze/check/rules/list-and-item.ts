/** Maps of a schema that are nearly a list: `lis` or `itme`, or a third key beside `list` and `item` (decisions 7.7). */
import type { Schema } from '../../../read/config/config-model.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Expression } from '../../../read/expression/ast.js';
import { visit } from '../../../read/expression/visit.js';
import { eachSchema } from '../each-schema.js';
import { rule } from '../rule.js';

export const listAndItem = rule(
  {
    'list-and-item': warning((p: { problem: string; hint: string }) => ({
      message: `This is an object, not a list: ${p.problem}.`,
      hint: p.hint,
    })),
  },
  ({ report }) =>
    eachSchema((schema, _, hasElement) => {
      if (schema.kind !== 'object') return;
      const { fields } = schema;
      const list = fields.find(({ key }) => key === 'list');
      const item = fields.find(({ key }) => key === 'item');
      const other = fields.find(({ key }) => key !== 'list' && key !== 'item');
      if (other === undefined) return;
      const meant = list === undefined ? 'list' : 'item';
      const isSlip =
        fields.length === 2 && (list === undefined) !== (item === undefined) && isSlipOf(other.key, meant);
      if (isSlip) {
        const problem = `'${other.key}' is not '${meant}'`;
        report('list-and-item', other.span, { problem, hint: `Did you mean '${meant}'?` });
        return;
      }
      // Without an enclosing element, each `@` is an error already.
      if (list === undefined || item === undefined || !hasElement || !readsElement(item.value)) return;
      report('list-and-item', other.span, {
        problem: `besides 'list' and 'item' it has '${other.key}'`,
        hint: `Move '${other.key}' one level up. If an object is meant, rename 'list' or 'item'.`,
      });
    }),
);

/** Two characters swapped, one left out or one doubled: `itme`, `lis`, `itemm`. Other words, such as `items`, may be meant. */
function isSlipOf(written: string, word: string): boolean {
  const all = Array.from(word).flatMap((character, at) => {
    const [before, after] = [word.slice(0, at), word.slice(at + 1)];
    const next = after.charAt(0);
    return [
      before + after,
      before + character + character + after,
      before + next + character + after.slice(1),
    ];
  });
  return written !== word && all.includes(written);
}

/** Whether the schema reads `@`: inside another list it is an element of that one. */
function readsElement(schema: Schema): boolean {
  switch (schema.kind) {
    case 'object':
      return schema.fields.some(({ value }) => readsElement(value));
    case 'array':
      return isElementIn(schema.list);
    case 'leaf':
      return isElementIn(schema.value);
  }
}

function isElementIn(expression: Expression): boolean {
  let found = false;
  visit(expression, ({ kind }) => {
    found ||= kind === 'element';
  });
  return found;
}
