/** The defaults of `retry`, shared with the compiler, which explains them. */

export const retryDefaults = {
  on: [429, 502, 503, 504, 'unreachable', 'timeout'],
  wait: 0.5,
  maxWait: 30,
} as const;
