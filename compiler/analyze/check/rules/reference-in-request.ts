/** Environment references in headers of requests: they work in datasources only (decisions 6.1). */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { constantIn } from '../visited-headers.js';
import { rule } from '../rule.js';

export const referenceInRequest = rule(
  {
    'reference-in-request': error((p: { name: string }) => ({
      message: `Environment reference in header '${p.name}': \${…} works only in datasources.`,
      hint: "Move the header to the 'header' of the datasource.",
    })),
  },
  ({ report }) => ({
    header: ({ name, value, isOfRequest }) => {
      if (isOfRequest && constantIn(value).includes('${'))
        report('reference-in-request', name.span, { name: name.value });
    },
  }),
);
