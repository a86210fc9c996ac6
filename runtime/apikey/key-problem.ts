/** Checks whether an API key is hard to guess. Shared by the compiler and the service. */

/** Minimum characters of a key. */
const shortest = 32;

/** The form of all keys, as configured. */
export interface KeyForm {
  /** Their beginning. */
  readonly prefix?: string | undefined;
  /** The word before them in the `Authorization` header. */
  readonly scheme?: string | undefined;
}

/** Whether the text after a scheme is a token (JWT), which has two dots, and not a key. */
export function isTokenOf(scheme: string | undefined, text: string): boolean {
  return scheme !== undefined && text.split('.').length === 3;
}

/** The reason why a key is invalid, as the end of a sentence that does not contain the key. */
export function problemOfKey(value: string, { prefix = '', scheme }: KeyForm = {}): string | undefined {
  if (/^sha256:/i.test(value))
    return /^sha256:[0-9a-f]{64}$/i.test(value) ? undefined : 'needs 64 hexadecimal digits after sha256:';
  if (value.length < shortest) return `is shorter than ${shortest} characters`;
  if (!value.startsWith(prefix)) return `does not begin with ${prefix}`;
  if (isTokenOf(scheme, value)) return 'has two dots, so the service would take it for a token';
  return /[^\x21-\x7e]/.test(value)
    ? 'has a space, or a character beyond ASCII, which headers change'
    : undefined;
}
