/** Changes of a transaction that MariaDB runs in order with one command: a compound statement, which ends at the first failure. */
import type { Connection } from 'mysql2';
import type { Query, QueryCallback, StatementBlock } from '../sql/driver.js';
import { isWithoutConnection } from '../sql/failure.js';
import { BoundNumber } from '../sql/sql-template.js';
import type { Prepared } from './driver-internals.js';
import { execute, type Outcome } from './execution.js';
import { isMysqlError, mysqlFailure } from './failure.js';
import { mysqlParameter, type MysqlParameter } from './parameter.js';
import { mysqlRows } from './session.js';
import { withRefusedValue, type Binders } from './value-columns.js';

/** Numbers of statements of a block, the preferred one first. Few sizes, because each is prepared: 32 KiB of the server's memory a statement. */
const sizes = [32, 8];

/** Maximum number of values of a block. */
const mostValues = 4096;

/** A statement with its values as parameters. */
export interface BoundQuery {
  readonly query: Query;
  readonly binders: Binders;
  readonly values: readonly MysqlParameter[];
}

/** The first statements that make a block: whole rounds of the statements of a loop. Fewer than two if there is no such block. */
export function blockOf(bound: readonly BoundQuery[]): readonly BoundQuery[] {
  const round = roundOf(bound.map(({ query }) => query.text));
  const size = sizes
    .map((most) => Math.max(1, Math.floor(most / round)) * round)
    .find((count) => count <= bound.length);
  const chosen = bound.slice(0, size ?? 0);
  return chosen.reduce((sum, { values }) => sum + values.length, 0) > mostValues ? [] : chosen;
}

/** The most statements that a block can have. */
export const mostInBlock = sizes[0] ?? 0;

/** After how many texts the texts repeat. */
function roundOf(texts: readonly string[]): number {
  const round = texts.findIndex(
    (_, start) =>
      start > 0 &&
      texts.every((text, index) => texts[index - start] === undefined || texts[index - start] === text),
  );
  return round === -1 ? Math.max(1, texts.length) : round;
}

/**
 * The SQL of a block. Variables of the session report the statement that failed: the server reports only the error. The number tells them
 * from those of an earlier block. A line break ends a comment at the end of a statement.
 */
export function blockText(bound: readonly BoundQuery[]): string {
  const statements = bound.map(
    ({ query }, index) => `SET @apikiln_statement = ${index};\n${query.text}\n;\n`,
  );
  return `BEGIN NOT ATOMIC\nSET @apikiln_block = ?;\n${statements.join('')}END`;
}

/** The session that runs a block. */
export interface BlockSession {
  readonly connection: Connection;
  /** The SQL of the block. */
  readonly text: string;
  /** A number that no earlier block of the session has. */
  readonly number: number;
  /** Calls back with the prepared block, or with the error of the server. */
  prepare(then: (error: unknown, prepared: Prepared | undefined) => void): void;
  /** Called after the block, with the status of the server. */
  ended(outcome: Outcome | undefined): void;
  /** Called if the server no longer has the prepared block. */
  lost(): void;
}

/** A block of statements. */
export class MysqlBlock implements StatementBlock {
  failedAt: number | undefined;
  readonly count: number;

  constructor(
    private readonly bound: readonly BoundQuery[],
    private readonly session: BlockSession,
  ) {
    this.count = bound.length;
  }

  get text(): string {
    return this.bound[this.failedAt ?? 0]?.query.text ?? '';
  }

  start(done: QueryCallback): void {
    this.session.prepare((error, prepared) => {
      if (prepared !== undefined) {
        this.execute(prepared, done);
        return;
      }
      // Unless the connection has ended, the statements run one by one.
      if (this.isLost(error)) this.failedAt = 0;
      done(error);
    });
  }

  private execute(prepared: Prepared, done: QueryCallback): void {
    const { connection, text, number } = this.session;
    const marker = mysqlParameter(new BoundNumber(String(number)));
    const values = [marker, ...this.bound.flatMap((one) => one.values)];
    execute(connection, prepared, { text }, values, (error, result) => {
      if (result === undefined) void this.failed(error, done);
      else {
        this.session.ended(result.outcome);
        done(undefined, []);
      }
    });
  }

  /** Finds the failed statement. Never fails. */
  private async failed(error: unknown, done: QueryCallback): Promise<void> {
    this.failedAt = this.isLost(error) ? 0 : await this.failedStatement();
    if (this.failedAt === undefined) this.session.lost();
    const failed = this.bound[this.failedAt ?? 0];
    done(failed === undefined ? error : withRefusedValue(error, failed.query, failed.binders));
  }

  /** Undefined if no statement of the block has run. */
  private async failedStatement(): Promise<number | undefined> {
    const { connection, number } = this.session;
    try {
      const [row = []] = await mysqlRows(connection, 'SELECT @apikiln_block, @apikiln_statement');
      return Number(row[0]) === number ? Number(row[1]) : undefined;
    } catch {
      // The connection has ended meanwhile.
      return 0;
    }
  }

  private isLost(error: unknown): boolean {
    return !isMysqlError(error) || isWithoutConnection(mysqlFailure(error, this.text));
  }
}
