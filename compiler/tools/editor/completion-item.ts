/** A completion, and the facts about a position from which completions are made. */
import type { Written } from '../../notation/written.js';
import type { Analysis } from '../../analyze/operations/analysis.js';
import type { Source } from '../../read/source.js';
import type { PathTarget } from './path-target.js';
import type { YamlPath } from './yaml-path.js';

export interface Completion {
  readonly label: string;
  readonly kind: 'field' | 'word' | 'function' | 'name' | 'column' | 'variable';
  /** A few words next to the label. */
  readonly detail?: string;
  readonly about?: Written<'markdown'>;
  /** The inserted text, if it is not the label. */
  readonly insert?: string;
  /** Whether `insert` is a snippet. */
  readonly isSnippet?: boolean;
  /** The number of characters before the position that it replaces. */
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
