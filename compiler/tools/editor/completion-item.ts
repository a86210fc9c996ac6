/** One of the things that can be written at a position, and what is known of the position. */
import type { Analysis } from '../../analyze/operations/analysis.js';
import type { PathTarget } from './path-target.js';
import type { YamlPath } from './yaml-path.js';

export interface Completion {
  readonly label: string;
  readonly kind: 'field' | 'word' | 'function' | 'name' | 'column' | 'variable';
  /** A few words beside the label. */
  readonly detail?: string;
  readonly about?: string;
  /** What is written, where it is not the label. */
  readonly insert?: string;
  /** Whether `insert` is a snippet. */
  readonly isSnippet?: boolean;
  /** So many characters before the position are replaced. */
  readonly replaces: number;
}

export interface At {
  readonly text: string;
  readonly offset: number;
  readonly path: YamlPath;
  readonly target: PathTarget;
  readonly analysis: Analysis | undefined;
}
