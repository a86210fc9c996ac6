/** Files that a build writes. */
import type { Written } from '../../../notation/written.js';

export interface GeneratedFile {
  /** Path below the service's folder, with slashes. */
  readonly path: string;
  /** With one character for each byte in an archive (`isArchive`). */
  readonly text: Written;
  /**
   * generated: rewritten by every build; once: the owner's from the first build on; secret: the values of the
   * configuration, readable by the owner alone and not for a repository; packages: package.json and its lock file, which npm
   * changes too where the owner installs a package.
   */
  readonly kind: 'generated' | 'once' | 'secret' | 'packages';
}
