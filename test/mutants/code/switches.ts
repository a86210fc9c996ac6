/** Functions called by mutated sources; loaded before them. */

declare global {
  /** Whether this mutant is active. */
  var isMutant: (id: number) => boolean;
  /** Called in each iteration of a loop. */
  var countRound: () => void;
}

/** The original code is active until a test runner replaces these functions. */
globalThis.isMutant = () => false;
globalThis.countRound = () => undefined;

export {};
