/** Asks a request for the credentials that its operation wants (decisions 9.4). */

/** One of the configured authentications. */
export interface Authentication {
  /** The challenge of a 401 answer, for `WWW-Authenticate`. */
  readonly challenge: string;
  /** Whether this `Authorization` header gives its credentials; takes the same time whatever is wrong with them. */
  admits(authorization: string | undefined): boolean;
}

/** Whether one of the authentications admits the header; where there is none, everybody is admitted. */
export function isAdmitted(
  authentications: readonly Authentication[],
  authorization: string | undefined,
): boolean {
  let admitted = authentications.length === 0;
  // All of them are asked: an early way out would tell by its time which one it was.
  for (const authentication of authentications) admitted = authentication.admits(authorization) || admitted;
  return admitted;
}

/** The challenges of all of them, each once, as names and values of headers. */
export function challengesOf(authentications: readonly Authentication[]): string[] {
  const challenges = new Set(authentications.map(({ challenge }) => challenge));
  return [...challenges].flatMap((challenge) => ['WWW-Authenticate', challenge]);
}
