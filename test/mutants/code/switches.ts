/** Functions that mutated sources call; loaded before them. */

declare global {
  /** Whether the code is this mutant now. */
  var isMutant: (id: number) => boolean;
  /** In each round of a loop. */
  var countRound: () => void;
}

/** The code itself, until a runner of tests puts its own functions here. */
globalThis.isMutant = () => false;
globalThis.countRound = () => undefined;

export {};
