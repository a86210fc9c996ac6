/** Output formats of diagnostics, for people or for programs. */
export const formats = ['text', 'json', 'sarif', 'github'] as const;
export type Format = (typeof formats)[number];
