/** Something outside the service keeps it from starting: a setting, a port. */

/** Each problem is one sentence for the person who starts the service; it holds no secret. */
export class StartError extends Error {
  override readonly name = 'StartError';

  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}
