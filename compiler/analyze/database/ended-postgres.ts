/** What is thrown where an embedded PostgreSQL ends in a statement, such as COPY … FROM PROGRAM whose error is caught. */
import type { RefusedStatement } from './open-schemas.js';

/** The embedded PostgreSQL has ended in a statement: to all later ones it responds with nothing, as if they had run. */
export class EndedPostgres extends Error {
  override readonly name = 'EndedPostgres';

  constructor() {
    super('it ends in this statement: a PostgreSQL inside of a process has no programs and no other files');
  }
}

/** The same, where the statement is known. */
export class EndedAt extends Error {
  override readonly name = 'EndedAt';

  constructor(readonly statement: RefusedStatement) {
    super(statement.message);
  }
}
