/** The counts that the limits of a request have taken. */

/** A request that a limit has counted. */
export interface RequestCount {
  /** Whether only refused requests count: then the count is given back for statuses outside 400 to 499. */
  readonly isOfRefused: boolean;
  /** Has no effect if the count has been given back. */
  giveBack(): void;
}

/** Receives the counts of a request, which are given back if another limit refuses the request. */
export type CountRequest = (count: RequestCount) => void;
