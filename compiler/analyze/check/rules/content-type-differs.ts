/** A header Content-Type of another kind than the body that is sent. */
import type { BodyType } from '../../../read/config/config-model.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';
import { constantIn } from '../visited-headers.js';

export const contentTypeDiffers = rule(
  {
    'content-type-differs': warning((p: { type: BodyType; header: string; isForm: boolean }) => ({
      message: `The header says '${p.header}', but the body is ${p.type === 'json' ? 'JSON' : 'a form'}.`,
      hint:
        p.type === 'json' && p.isForm
          ? "Write 'contentType: form' in the body, and remove the header."
          : 'Remove the header: it is set automatically.',
    })),
  },
  ({ report }) => ({
    request: ({ header, bodyType: type }) => {
      if (type === undefined) return;
      for (const { name, value, valueSpan } of header) {
        if (name.value.toLowerCase() !== 'content-type') continue;
        const written = constantIn(value);
        const isForm = urlencoded.test(written);
        if (type === 'json' ? isForm || multipart.test(written) : json.test(written))
          report('content-type-differs', valueSpan, { type, header: written.trim(), isForm });
      }
    },
  }),
);

const urlencoded = /^\s*application\/x-www-form-urlencoded\b/i;
const multipart = /^\s*multipart\//i;
const json = /^\s*application\/(?:json|[\w.-]+\+json)\b|^\s*multipart\//i;
