/** Builds `dist/runtime` and its tarball, unless they are up to date. */
export function buildRuntime(): Promise<void>;

/** All files of the package by path, and their tarball. */
export function packRuntime(): Promise<{ made: Map<string, string>; bytes: Uint8Array }>;
