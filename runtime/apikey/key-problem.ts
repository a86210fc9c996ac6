/** Checks whether an API key is hard to guess. Shared by the compiler and the service. */

/** Minimum characters of a key. */
const shortest = 32;

/** The reason why a key is invalid, as the end of a sentence that does not contain the key. `prefix`: the beginning of all keys. */
export function problemOfKey(value: string, prefix = ''): string | undefined {
  if (/^sha256:/i.test(value))
    return /^sha256:[0-9a-f]{64}$/i.test(value) ? undefined : 'needs 64 hexadecimal digits behind sha256:';
  if (value.length < shortest) return `is shorter than ${shortest} characters`;
  if (!value.startsWith(prefix)) return `does not begin with ${prefix}`;
  return /[^\x21-\x7e]/.test(value)
    ? 'has a space, or a character beyond ASCII, which headers change'
    : undefined;
}
