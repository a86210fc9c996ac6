/** The commands to try, for a service at a URL. */
export const examples: Readonly<Record<string, (url: string) => readonly string[]>>;
