/** A schema on a status whose responses never have a body. */
import { neverHasBody } from '../../../read/config/status.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const bodyWithoutContent = rule(
  {
    'body-without-content': warning((p: { status: number }) => ({
      message: `A response with status ${p.status} has no body, so this schema is not sent.`,
      hint: "Remove 'schema'. To send it, write statuscode: 200.",
    })),
  },
  ({ report }) => ({
    response: ({ statuscode, fields }) => {
      const status = statuscode.value;
      const schema = fields.get('schema');
      if (schema !== undefined && neverHasBody(status)) report('body-without-content', schema, { status });
    },
  }),
);
