/** The text and values that the server receives for a statement, decided when the kinds of its values are known and whether its rows are read. */
import type { Expression } from '../../expression/ast.js';
import type { SqlPart } from './text-part.js';
import { joined, partsOf } from './parts.js';
import { returningClause } from './returning.js';
import { changesSession } from '../facts/session-effects.js';
import { runsUnknownCode } from '../facts/unknown-code.js';
import type { SqlStatement } from '../statement.js';
import type { KindOf } from '../facts/value-kind.js';

/** A statement as it is sent. */
export interface LoweredSql extends Omit<
  SqlStatement,
  'pieces' | 'expressions' | 'takesReturning' | 'returnsRows'
> {
  readonly parts: readonly SqlPart[];
  /** Whether it runs code of the database, which may leave something in the session. */
  readonly runsUnknownCode: boolean;
  /** Whether something of it stays on its connection when its transaction has ended. */
  readonly changesSession: boolean;
  /** Where a RETURNING was added: the clause, and `parts` without it, for servers and users that refuse it. */
  readonly added?: { readonly clause: string; readonly before: readonly SqlPart[] };
  /** The bound expressions, in the order of the markers; one for placeholders that are one parameter. */
  readonly bindings: readonly Expression[];
}

/** Facts about a statement that are known when all of its operation has been read. */
export interface LoweringContext {
  readonly kindOf: KindOf;
  /** An expression of the operation reads the rows of an UPDATE: only then RETURNING is added. */
  readonly isResultRead: boolean;
}

export function lowerSql(statement: SqlStatement, { kindOf, isResultRead }: LoweringContext): LoweredSql {
  const { dialect, verb, pieces, rowCounts, uses, types, truths, retry, atomic, takesReturning } = statement;
  const { parts, bindings } = partsOf(statement, kindOf);
  const lowered = {
    ...{ dialect, verb, parts, bindings, rowCounts, uses, truths, retry, atomic },
    changesSession: changesSession(statement),
    runsUnknownCode: runsUnknownCode(pieces.tree, dialect),
    ...(types === undefined ? {} : { types }),
  };
  if (!takesReturning || !isResultRead) return lowered;
  const text = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
  const clause = { kind: 'text', text: returningClause(text, pieces) } as const;
  return {
    ...lowered,
    parts: joined([...parts, clause]),
    added: { clause: clause.text.trim(), before: parts },
  };
}
