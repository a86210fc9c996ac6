/** Database URLs that name no database (decisions 5.9). */
import type { SqlStatement } from '../../../read/sql/statement.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { ruleOfWhole } from '../rule.js';

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
