/** Checks limits on the number of requests (docs/design/limits.md#lim-2). */
import type { RequestLimit } from '../../../read/config/config-model.js';
import { error, meantOr } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { quotedList } from '../../../read/diagnostics/quoted-list.js';
import { nearest } from '../../../read/diagnostics/suggest.js';
import { rule, ruleOfWhole } from '../rule.js';

/** Reports limits of an operation that no request calls. */
export const limitWithoutRequest = rule(
  {
    'limit-without-request': error({ operation: 'text' }, (p: { operation: string }) => ({
      message: `'${p.operation}' is not an endpoint, so its limits never count.`,
      hint: 'Calls by other operations and timers are not limited. Write the limits in the operations that requests call.',
    })),
  },
  ({ report }) => ({
    operation: ({ limits, endpoint, name, fields }) => {
      const span = fields.get('limits');
      if (limits.length > 0 && endpoint === undefined && span !== undefined)
        report('limit-without-request', span, { operation: name.value });
    },
  }),
);

/** Reports a `store` of a limit that does not name a database. */
export const limitStore = ruleOfWhole(
  {
    'limit-store': error(
      { name: 'text', nearest: 'suggestion', databases: 'text' },
      (p: { name: string; nearest: string | undefined; databases: string[] }) => ({
        message: `'${p.name}' is not a database, so no requests can be counted in it.`,
        ...meantOr(
          p.nearest,
          p.databases.length === 0
            ? 'Add a datasource with type: db, and write its name. Without a store, each process counts for itself.'
            : `Write ${quotedList(p.databases, ' or ')}.`,
        ),
      }),
    ),
  },
  ({ analysis, report }) => {
    const { datasources, settings } = analysis.config;
    const check = (limits: readonly RequestLimit[]): void => {
      for (const { store } of limits) {
        const found = datasources.find(({ name }) => name.value === store?.value);
        // An unknown type of a datasource has been reported.
        if (store === undefined || found?.type === 'db' || (found && found.type === undefined)) continue;
        const databases = datasources.flatMap(({ name, type }) => (type === 'db' ? [name.value] : []));
        const { value: name, span } = store;
        report('limit-store', span, { name, nearest: nearest(name, databases), databases });
      }
    };
    return {
      operation: ({ limits }) => {
        check(limits);
      },
      authentication: ({ limits }) => {
        check(limits);
      },
      end: () => {
        check(settings.limits);
      },
    };
  },
);
