/** The relation of a page in LINK. */
import { pageRelations, type PageRelation } from '../ast.js';

/** The relation, which may be quoted; undefined if there is none with this name. */
export function relationOf(written: string): PageRelation | undefined {
  const word = written.replace(/^(['"])(.*)\1$/, '$2');
  return pageRelations.find((relation) => relation === word);
}
