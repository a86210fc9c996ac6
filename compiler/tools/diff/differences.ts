/** The result of `apikiln diff` for two configurations: plain data, printed unchanged as JSON. */

export interface Differences {
  /** Changes that may break clients of the old service. */
  readonly breaking: readonly Change[];
  readonly compatible: readonly Change[];
  /** Breaking changes in updates of third-party descriptions. */
  readonly thirdParties: readonly ThirdPartyChange[];
  /** Operations that send different statements or requests than before. */
  readonly sent: readonly SentChange[];
}

export interface Change {
  /** Name of the operation in the old configuration, or in the new one if the operation is new. Null for changes to all operations. */
  readonly operation: string | null;
  readonly text: string;
}

export interface ThirdPartyChange extends Change {
  readonly operation: string;
  readonly datasource: string;
}

export interface SentChange {
  readonly operation: string;
  /** Tables and third parties that the operation newly reads or changes, and those that it no longer does. */
  readonly reads: { readonly added: readonly string[]; readonly removed: readonly string[] };
  readonly writes: { readonly added: readonly string[]; readonly removed: readonly string[] };
  /** Lines of a unified diff, without file names. */
  readonly diff: readonly string[];
}
