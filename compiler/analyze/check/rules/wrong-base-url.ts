/** The URL of a REST datasource, as far as it is not from the environment (decisions 6.1). */
import { parseBaseUrl } from '../../../../runtime/rest/base-url.js';
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const wrongBaseUrl = rule(
  {
    'wrong-base-url': error((p: { problem: string }) => ({
      message: `This URL of a third-party API cannot be used: ${p.problem}.`,
      hint: 'For example: https://api.example.com/v1',
    })),
  },
  ({ report }) => ({
    datasource: ({ type, url }) => {
      if (type !== 'rest' || url === undefined || url.value.includes('${')) return;
      const base = parseBaseUrl(url.value);
      if (typeof base === 'string') report('wrong-base-url', url.span, { problem: base });
    },
  }),
);
