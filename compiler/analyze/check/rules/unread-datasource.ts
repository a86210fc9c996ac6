/** Datasources that no fulfillment names: the service would want their settings, and open a pool. */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { ruleOfWhole } from '../rule.js';

export const unreadDatasource = ruleOfWhole(
  {
    'unread-datasource': warning((p: { name: string }) => ({
      message: `No fulfillment uses the datasource '${p.name}'.`,
      hint: 'Remove it: the service needs the settings of every datasource.',
    })),
  },
  ({ analysis, report, hasErrors }) => ({
    end: () => {
      if (hasErrors()) return;
      const used = new Set(
        analysis.operations
          .flatMap(({ fulfillments }) => fulfillments)
          .map(({ fulfillment }) => ('datasource' in fulfillment ? fulfillment.datasource.value : undefined)),
      );
      // SCHEDULE_LEDGER may name any database.
      const isTimed = analysis.config.operations.some(({ triggers }) => triggers.length > 0);
      for (const { name, type } of analysis.config.datasources) {
        const mayBeLedger = isTimed && type === 'db';
        if (!used.has(name.value) && !mayBeLedger)
          report('unread-datasource', name.span, { name: name.value });
      }
    },
  }),
);
