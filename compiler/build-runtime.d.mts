/** Builds `dist/runtime` and its tarball, unless they are up to date. */
export function buildRuntime(): Promise<void>;

/** All its files, by path in the package, and the tarball of them. */
export function packRuntime(): Promise<{ made: Map<string, string>; bytes: Uint8Array }>;
