/** Lists that are sent before their turn, together with neighbouring reads. */
import type { Call } from '../handler/call.js';
import type { Row } from '../handler/json.js';
import { startRead, type StartedRead } from '../sql/reads-ahead.js';
import type { PassedValue } from '../sql/sql-template.js';
import type { Asked, List, Page } from './list-of.js';

/** Like `startRead`, for a list. Throws a ServiceError 400 for an invalid order, limit or token. */
export function startList<Entry extends Row>(
  list: List<Entry>,
  call: Call,
  passed: readonly PassedValue[],
  asked: Asked,
): PromiseLike<Page<Entry>> {
  const { statement, values, pageOf } = list.paged(passed, asked);
  return new StartedList(startRead(statement, call, values), pageOf);
}

class StartedList<Entry extends Row> implements PromiseLike<Page<Entry>> {
  constructor(
    private readonly rows: StartedRead<Entry>,
    private readonly pageOf: (rows: Entry[]) => Page<Entry>,
  ) {}

  then<Result = Page<Entry>, Failed = never>(
    onPage?: ((page: Page<Entry>) => Result | PromiseLike<Result>) | null,
    onError?: ((error: unknown) => Failed | PromiseLike<Failed>) | null,
  ): PromiseLike<Result | Failed> {
    return this.rows.then(this.pageOf).then(onPage, onError);
  }
}
