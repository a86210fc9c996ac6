/** Strings as words of a POSIX shell. */

/** The string in single quotes, whatever it contains. */
export function quotedForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
