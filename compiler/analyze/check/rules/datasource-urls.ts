/** Datasources, and their URLs. */
import { parseBaseUrl } from '../../../../runtime/rest/base-url.js';
import { error, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { SqlStatement } from '../../../read/sql/statement.js';
import { rule, ruleOfWhole } from '../rule.js';

/** Datasources that no fulfillment names: the service would want their settings, and open a pool. */
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

/** Database URLs that name no database (decisions 5.9). */
export const urlWithoutDatabase = ruleOfWhole(
  {
    'url-without-database': warning((p: { isPostgres: boolean }) => ({
      message: p.isPostgres
        ? 'This URL names no database, so PostgreSQL uses the one that has the name of the user.'
        : 'This URL names no database, so tables are not found.',
      hint: 'Write the database after the host: jdbc:…://host:port/database.',
    })),
  },
  ({ analysis, report }) => {
    const unqualified = new Set<string>();
    return {
      statement: (statement, { fulfillment }) => {
        const name = fulfillment.datasource.value;
        if (!unqualified.has(name) && hasUnqualifiedTable(statement)) unqualified.add(name);
      },
      end: () => {
        for (const { name, type, dialect, url } of analysis.config.datasources) {
          if (type !== 'db' || dialect === undefined || url === undefined) continue;
          if (!/^jdbc:\w+:\/\/(?:\$\{[^{}]*\}|[^/?${}])+\/(?:\?.*)?$/.test(url.value.trim())) continue;
          // On MySQL the database may precede each table, too.
          if (dialect === 'mysql' && !unqualified.has(name.value)) continue;
          report('url-without-database', url.span, { isPostgres: dialect === 'postgresql' });
        }
      },
    };
  },
);

/** Whether a table is named without a database. */
function hasUnqualifiedTable({ pieces: { bounds } }: SqlStatement): boolean {
  const { items } = bounds;
  return items.some(({ word, token }, index) => {
    const before = items[index - 1]?.word ?? '';
    const isName = token.kind === 'word' || token.kind === 'quoted-name';
    return (
      /^(?:FROM|JOIN|INTO|UPDATE)$/.test(before) &&
      isName &&
      word !== 'DUAL' &&
      items[index + 1]?.word !== '.'
    );
  });
}

/** The URL of a REST datasource, as far as it is not from the environment (decisions 6.1). */
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
