/** Checks whether an API key is hard to guess. The compiler and the service use the same check. */

/** Characters. */
const shortest = 32;

/** Why a value is not valid, as the end of a sentence, without the value. */
export function problemOfKey(value: string): string | undefined {
  if (/^sha256:/i.test(value))
    return /^sha256:[0-9a-f]{64}$/i.test(value) ? undefined : 'needs 64 hexadecimal digits behind sha256:';
  if (value.length < shortest) return `is shorter than ${shortest} characters`;
  return /[^\x21-\x7e]/.test(value)
    ? 'has a space, or a character beyond ASCII, which headers change'
    : undefined;
}
