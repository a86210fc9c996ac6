/** MULTIPART_FILE anywhere but as a whole part of a request or in a comparison with null (specification, Multipart rules; decisions 6.7). */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Comparison, Expression } from '../../../read/expression/ast.js';
import { rule } from '../rule.js';

export const fileOutsideMultipart = rule(
  {
    'file-outside-multipart': error((p: { part: string }) => ({
      message: `MULTIPART_FILE(${p.part}) is a file, not a JSON value: it can only be a part of a request.`,
      hint: `Write it as the whole value of a part under 'multipart'. MULTIPART_FILE(${p.part}) == NULL() tests whether it was sent; PARAM reads a text field.`,
    })),
  },
  ({ report }) => {
    /** The request of a fulfillment is visited before its expressions. */
    const passedOn = new Set<Expression>();
    return {
      request: ({ multipart }) => {
        for (const { value } of multipart) passedOn.add(value);
      },
      comparison: (node) => {
        for (const file of comparedWithNull(node)) passedOn.add(file);
      },
      'multipart-file': (node) => {
        if (!passedOn.has(node)) report('file-outside-multipart', node.span, { part: node.part });
      },
    };
  },
);

/** `MULTIPART_FILE(part) == NULL()`: whether the file was sent. */
function comparedWithNull({ operator, left, right }: Comparison): readonly Expression[] {
  if (operator !== '==' && operator !== '!=') return [];
  const sides = [left, right];
  return sides.some(({ kind }) => kind === 'null') ? sides : [];
}
