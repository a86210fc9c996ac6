/** What a user and a password of HTTP Basic may be; the compiler and the service ask the same. */

/** The fields of an account. */
export type CredentialField = 'user' | 'password';

/** Why no client could send it, or nobody should; as the end of a sentence, without the value. */
export function problemOfCredential(field: CredentialField, text: string): string | undefined {
  if (text === '') return 'is empty';
  // RFC 7617, section 2: the first colon is where the password begins.
  if (field === 'user' && text.includes(':')) return 'has a colon, which separates user and password';
  return /[\p{Cc}\p{Cs}]/u.test(text) ? 'has a control character, which no client sends' : undefined;
}
