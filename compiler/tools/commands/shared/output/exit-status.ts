/** Exit statuses of the tool. */
export const exitStatus = {
  fine: 0,
  /** The configuration has errors. */
  errors: 1,
  /** Wrong use of the command. */
  usage: 2,
  /** The folder differs from the output of a build. */
  drift: 3,
  /** The environment: a file that is not there or cannot be read or written, a database that cannot be asked. */
  environment: 4,
  /** The compiler has failed itself. */
  bug: 5,
} as const;

/** Ends a command with one sentence on standard error. */
export class CommandError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}
