/** Builds `dist/runtime` and its tarball, unless what is there was made of the same. */
export function buildRuntime(): Promise<void>;
