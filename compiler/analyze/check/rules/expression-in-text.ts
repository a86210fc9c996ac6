/** Strings that contain an expression, or a reference to the environment: both are sent letter by letter. */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { readingFunctions } from '../../../read/expression/functions.js';
import { rule } from '../rule.js';

const call = RegExp(String.raw`\b(?:${readingFunctions.join('|')})\([^()\n]*\)`);
const reference = /\$\{[A-Z][A-Z\d_]*\}/;

export const expressionInText = rule(
  {
    'expression-in-text': warning((p: { written: string; isReference: boolean }) => ({
      message: `${p.written} is inside of a string, so its letters are the value.`,
      hint: p.isReference
        ? 'References to the environment are read in `datasources` and `authentications` alone: write the value itself here.'
        : `Write ${p.written} as a field of its own, or join the two in the SQL with concat(…).`,
    })),
  },
  ({ report }) => ({
    text: ({ value, span }) => {
      const found = call.exec(value)?.[0];
      const isCall = found !== undefined && (!found.startsWith('VALUE(') || found.includes('$'));
      const written = isCall ? found : reference.exec(value)?.[0];
      if (written !== undefined) report('expression-in-text', span, { written, isReference: !isCall });
    },
  }),
);
