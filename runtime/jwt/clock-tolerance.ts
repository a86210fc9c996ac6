/** The difference of clocks that services accept in tokens. */

/** Seconds for which a token is accepted before its beginning and after its end. */
export const clockTolerance = 30;
