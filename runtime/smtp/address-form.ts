/** The form of addresses in mails: one bare `local@domain`. Pure, because the compiler checks constants with it. */

/**
 * Characters of the part before the `@`: letters, digits and those that need no quotes. Without `!` and `%`, in which some mail servers see
 * a further address (`eve%example.net@example.com`).
 */
const local = String.raw`[\p{L}\p{M}\p{N}#$&'*+/=?^_\x60{|}~-]+`;
const label = String.raw`[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?`;
const address = new RegExp(`^(${local}(?:\\.${local})*)@(${label}(?:\\.${label})*)$`, 'u');

const longestLocal = 64;
const longestAddress = 254;

/** The two parts of an address; undefined for anything else, such as names, quotes, comments, groups and lists. */
export function partsOfAddress(
  text: string,
): { readonly local: string; readonly domain: string } | undefined {
  if (text.length > longestAddress) return undefined;
  const [, before, domain] = address.exec(text.normalize('NFC')) ?? [];
  if (before === undefined || domain === undefined || before.length > longestLocal) return undefined;
  // An encoded word: some mail programs and servers decode it to another address.
  if (before.includes('=?')) return undefined;
  return { local: before, domain };
}

/** The sender of a datasource: an address, or a name with an address in angle brackets. Undefined if it is neither. */
export function senderOf(text: string): { readonly name: string; readonly address: string } | undefined {
  const written = text.trim();
  const bracket = written.endsWith('>') ? written.lastIndexOf('<') : -1;
  if (bracket === -1) return partsOfAddress(written) && { name: '', address: written };
  const name = nameOf(written.slice(0, bracket).trim());
  const address = written.slice(bracket + 1, -1);
  if (name === undefined || hasControl(name) || partsOfAddress(address) === undefined) return undefined;
  return { name, address };
}

/** The name before an address, with or without quotes; undefined if it has characters that need other quotes. */
function nameOf(text: string): string | undefined {
  const isQuoted = text.length > 1 && text.startsWith('"') && text.endsWith('"');
  const name = isQuoted ? text.slice(1, -1) : text;
  return (isQuoted ? /["\\]/ : /["<>]/).test(name) ? undefined : name.trim();
}

/** Whether a text has line breaks or other control characters, which no header of a mail may have. */
export function hasControl(text: string): boolean {
  return /[\p{Cc}\u2028\u2029]/u.test(text);
}
