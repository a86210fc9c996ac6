/** A file that `apikiln init` writes. */
import type { Written } from '../../notation/written.js';

export interface InitFile {
  /** Below the folder of the new service, with `/`. */
  readonly path: string;
  readonly text: Written;
  /** True for a file that is kept as it is where there is one already. */
  readonly mayExist?: true;
  /** True for a file that only its owner may read. */
  readonly isSecret?: true;
}
