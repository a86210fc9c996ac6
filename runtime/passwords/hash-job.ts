/** The messages between the service and the threads that compute password hashes. */
import type { HashKind, StoredHash } from './stored-hash.js';

export type HashJob =
  | { readonly task: 'hash'; readonly kind: HashKind; readonly password: string; readonly salt: Uint8Array }
  | {
      readonly task: 'verify';
      readonly password: string;
      /** Undefined if there is nothing to compare the password with. */
      readonly stored: StoredHash | undefined;
      /** Kinds of hashes that are computed unless the password is right. */
      readonly others: readonly HashKind[];
    };

/** A job of either task, or the name of the error that ended it: messages of errors may contain parts of the password. */
export type HashResult =
  { readonly hash: Uint8Array } | { readonly isRight: boolean } | { readonly error: string };
