/** Commands to try, for the URL of a service and the URL of a token issuer. */
export const examples: Readonly<Record<string, (url: string, issuer?: string) => readonly string[]>>;
