/** Output files of a build. */
import type { Written } from '../../../notation/written.js';

export interface GeneratedFile {
  /** Path relative to the service's folder, with slashes. */
  readonly path: string;
  /** The contents; in archives (`isArchive`) each character is a byte. */
  readonly text: Written;
  /**
   * generated: rewritten by every build; once: written only if missing, then a user file; secret: values of the configuration, readable
   * only by the file's owner, not for version control; packages: package.json and its lock file, which npm also changes when the user
   * installs a package.
   */
  readonly kind: 'generated' | 'once' | 'secret' | 'packages';
}
