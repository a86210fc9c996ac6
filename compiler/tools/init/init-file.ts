/** A file written by `apikiln init`. */
import type { Written } from '../../notation/written.js';

export interface InitFile {
  /** Path relative to the new service's folder, with `/`. */
  readonly path: string;
  readonly text: Written;
  /** Set if an existing file is kept. */
  readonly mayExist?: true;
  /** Set if only the file's owner may read it. */
  readonly isSecret?: true;
}
