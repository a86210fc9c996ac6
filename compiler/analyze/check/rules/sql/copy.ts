/** Reports COPY with data from the client. COPY from or to a server file is an ordinary statement. */
import { error } from '../../../../read/diagnostics/catalogue/entry-messages.js';
import { spanOf } from '../../../../read/sql/sql-text.js';
import { refusingRule } from '../../sql/sql-rule.js';
import { sqlSession } from './session-changes.js';

export const sqlCopy = refusingRule(
  {
    'sql-copy': error({ written: 'text', hint: 'sentence' }, (p: { written: string; hint: string }) => ({
      message: `${p.written} needs a client that copies: a service sends and receives no such data.`,
      hint: p.hint,
    })),
  },
  (sql, report) => {
    const { dialect, tree } = sql;
    if (dialect !== 'postgresql' || tree?.main.verb !== 'COPY' || sqlSession.refuses(sql)) return;
    const { items, main, nodes } = tree;
    const name = nodes.find(
      ({ kind, query, first }) =>
        kind === 'name' &&
        query === main &&
        /^STD(?:IN|OUT)$/.test(items[first]?.word ?? '') &&
        /^(?:FROM|TO)$/.test(items[first - 1]?.word ?? ''),
    );
    const end = items[name?.first ?? -1];
    if (end === undefined) return;
    const isIn = end.word === 'STDIN';
    report('sql-copy', spanOf(sql, end), {
      written: `COPY … ${isIn ? 'FROM' : 'TO'} ${end.word}`,
      hint: isIn
        ? 'Write INSERT … SELECT … FROM jsonb_to_recordset(…), with the rows of the request.'
        : 'Write SELECT, with `type: READ`.',
    });
  },
);
