/** The result of `apikiln diff` for two configurations: plain data. Printed as JSON unchanged. */

export interface Differences {
  /** Changes that may break clients of the old service. */
  readonly breaking: readonly Change[];
  readonly compatible: readonly Change[];
  /** Breaking changes in updates of third parties' descriptions. */
  readonly thirdParties: readonly ThirdPartyChange[];
  /** The operations that send other statements or requests than before. */
  readonly sent: readonly SentChange[];
}

export interface Change {
  /** The operation, by its name in the old configuration, or in the new one if it is new. Null for changes of all operations. */
  readonly operation: string | null;
  readonly text: string;
}

export interface ThirdPartyChange extends Change {
  readonly operation: string;
  readonly datasource: string;
}

export interface SentChange {
  readonly operation: string;
  /** Tables and third parties that it has not read or changed before, and that it does not any more. */
  readonly reads: { readonly added: readonly string[]; readonly removed: readonly string[] };
  readonly writes: { readonly added: readonly string[]; readonly removed: readonly string[] };
  /** The lines of a unified diff, without names of files. */
  readonly diff: readonly string[];
}
