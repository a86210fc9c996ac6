/** Filters by columns without an index: each request reads the whole table. */
import { listColumn } from '../../analyze/operations/statements/list-columns.js';
import { typeOfColumn } from '../../analyze/operations/statements/filter-columns.js';
import type { ServiceView } from '../explain/service-view.js';
import { statementsOf } from './audited-statements.js';
import type { Risk } from './risk.js';

export function unindexedFilters(view: ServiceView): Risk[] {
  const { analysis } = view;
  return statementsOf(view).flatMap(({ step, statement }) => {
    const { written, datasource } = step.checked;
    const description = analysis.descriptionOf(statement);
    return (written.filter?.allow ?? []).flatMap(({ name, column, operators }): Risk[] => {
      const found = listColumn(column, statement, description);
      const origin = 'names' in found ? undefined : found.described?.origin;
      if ('names' in found || origin === undefined) return [];
      // Half of all rows are usually not worth an index.
      if (typeOfColumn(found.described, statement)?.type === 'boolean') return [];
      const table = analysis.descriptions.tables(datasource).find((one) => one.name === origin.table);
      const compared = origin.column ?? found.name;
      if (table === undefined || table.query !== undefined || table.indexed?.includes(compared) === true)
        return [];
      const isText = operators.every((operator) => operator === 'contains' || operator === 'startsWith');
      const index = isText
        ? `An index for parts of strings is needed, such as gin (${compared} gin_trgm_ops) on PostgreSQL`
        : `Create one: CREATE INDEX ON ${table.name} (${compared})`;
      return [
        {
          rule: 'unindexed-filter',
          severity: 'low',
          span: name.span,
          message: `The filter '${name.value}' compares ${table.name}.${compared}, which has no index: the database reads all rows.`,
          hint: `${index}, unless the table stays small or the statement selects few rows.`,
        },
      ];
    });
  });
}
