/** The commands to try, for a service at a URL, and an issuer of tokens at another one. */
export const examples: Readonly<Record<string, (url: string, issuer?: string) => readonly string[]>>;
