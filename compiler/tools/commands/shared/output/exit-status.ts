/** Exit statuses of the tool. */
export const exitStatus = {
  fine: 0,
  /** The configuration has errors. */
  errors: 1,
  /** Incorrect use of the command. */
  usage: 2,
  /** The folder differs from the output of a build. */
  drift: 3,
  /** An environment problem: a file that is missing or cannot be read or written, or a database that cannot be queried. */
  environment: 4,
  /** An internal failure of the compiler. */
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
