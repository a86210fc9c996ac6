/** The settings LOOP_LIMIT and LIST_MEMORY, where lists find them without a look at the environment. */

/** Set once, when the service starts. */
export const loopLimit = {
  /** Elements of a LIST. */
  elements: 100_000,
  /** Bytes of the lists that one call builds. */
  memory: 64 * 1024 * 1024,
};
