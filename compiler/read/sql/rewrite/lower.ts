/** The SQL and bound values that are sent for a statement. They depend on the kinds of its values, and on whether its rows are read. */
import type { Expression } from '../../expression/ast.js';
import type { SqlPart } from './text-part.js';
import { joined, partsOf } from './parts.js';
import { returningClause } from './returning.js';
import { changesSession } from '../facts/session-effects.js';
import { runsUnknownCode } from '../facts/unknown-code.js';
import type { SqlStatement } from '../statement.js';
import type { KindOf } from '../facts/value-kind.js';

/** A statement in the form that is sent. */
export interface LoweredSql extends Omit<
  SqlStatement,
  'pieces' | 'expressions' | 'takesReturning' | 'returnsRows'
> {
  readonly parts: readonly SqlPart[];
  /** Whether the statement runs unknown code of the database that may leave state in the session. */
  readonly runsUnknownCode: boolean;
  /** Whether the statement leaves state on its connection after the transaction. */
  readonly changesSession: boolean;
  /** Set if RETURNING was added: the clause, and `parts` without it for servers or users that refuse RETURNING. */
  readonly added?: { readonly clause: string; readonly before: readonly SqlPart[] };
  /** The bound expressions, in marker order; placeholders that share a parameter are listed once. */
  readonly bindings: readonly Expression[];
}

/** Facts that are known only after the whole operation has been read. */
export interface LoweringContext {
  readonly kindOf: KindOf;
  /** Whether an expression of the operation reads the rows of the UPDATE; RETURNING is added only in this case. */
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
