/** Headers of requests with a constant that looks like a secret. */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { isSecretHeader } from '../../../read/diagnostics/secrets/secret-words.js';
import type { Template } from '../../../read/expression/ast.js';
import { constantIn } from '../visited-headers.js';
import { rule } from '../rule.js';

export const secretInRequest = rule(
  {
    'secret-in-request': warning((p: { name: string }) => ({
      message: `Secret in the generated code: the value of header '${p.name}'.`,
      hint: "Move the header to the 'header' of the datasource: its values are read from the environment.",
    })),
  },
  ({ report }) => ({
    header: ({ name, value, isOfRequest }) => {
      if (isOfRequest && !constantIn(value).includes('${') && isSecret(name.value, value))
        report('secret-in-request', name.span, { name: name.value });
    },
  }),
);

/** A constant with a secret name. A scheme alone is not a secret: the placeholder after it may be unreadable. */
function isSecret(name: string, value: Template): boolean {
  if (!isSecretHeader(name) || !value.every((part) => typeof part === 'string')) return false;
  return !/^(?:basic|bearer|digest|token)?\s*$/i.test(value.join(''));
}
