/** The setting LOOP_LIMIT, where LIST finds it without a look at the environment. */

/** Set once, when the service starts. */
export const loopLimit = { elements: 100_000 };
