/** The files that the service reads, by path: its `.env`. */
export const files = new Map<string, string>();
