/** Checks whether a user name and password are valid in HTTP Basic. The compiler and the service use the same check. */

/** The fields of an account. */
export type CredentialField = 'user' | 'password';

/** Why a value is not valid, as the end of a sentence, without the value. */
export function problemOfCredential(field: CredentialField, text: string): string | undefined {
  if (text === '') return 'is empty';
  // RFC 7617, section 2: the first colon separates user and password.
  if (field === 'user' && text.includes(':')) return 'has a colon, which separates user and password';
  return /[\p{Cc}\p{Cs}]/u.test(text) ? 'has a control character, which no client sends' : undefined;
}
