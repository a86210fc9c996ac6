/** Validates user names and passwords for HTTP Basic. Shared by the compiler and the service. */

/** The fields of an account. */
export type CredentialField = 'user' | 'password';

/** The reason why a value is invalid, as the end of a sentence that does not contain the value. */
export function problemOfCredential(field: CredentialField, text: string): string | undefined {
  if (text === '') return 'is empty';
  // RFC 7617, section 2: the first colon separates user and password.
  if (field === 'user' && text.includes(':')) return 'has a colon, which separates user and password';
  return /[\p{Cc}\p{Cs}]/u.test(text) ? 'has a control character, which no client sends' : undefined;
}
