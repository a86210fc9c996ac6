/** A completion, and the context of a position from which completions are computed. */
import type { Written } from '../../notation/written.js';
import type { Analysis } from '../../analyze/operations/analysis.js';
import type { Source } from '../../read/source.js';
import type { PathTarget } from './path-target.js';
import type { YamlPath } from './yaml-path.js';

export interface Completion {
  readonly label: string;
  readonly kind: 'field' | 'word' | 'function' | 'name' | 'column' | 'variable';
  /** A short text next to the label. */
  readonly detail?: string;
  readonly about?: Written<'markdown'>;
  /** The text to insert, if different from the label. */
  readonly insert?: string;
  /** Whether `insert` is a snippet. */
  readonly isSnippet?: boolean;
  /** Number of characters before the position that are replaced. */
  readonly replaces: number;
}

export interface At {
  readonly source: Source;
  readonly text: string;
  readonly offset: number;
  readonly path: YamlPath;
  readonly target: PathTarget;
  readonly analysis: Analysis | undefined;
}
