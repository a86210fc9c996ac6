/** The packages of a lock file that services may install. */
import type { LockedPackage, LockedPackages } from '../../compiler/generate/assets.js';

export interface Lock {
  readonly packages: Readonly<
    Record<string, Partial<LockedPackage> & { readonly devDependencies?: Readonly<Record<string, string>> }>
  >;
}

export function lockedPackages(lock: Lock): LockedPackages;

/** The folder of a package as resolved from another one: inside its own folder or the nearest one above. */
export function folderOf(packages: Lock['packages'], from: string, name: string): string | undefined;
