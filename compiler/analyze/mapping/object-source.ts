/** The source of an object in a body: its own rows, or rows of the surrounding objects. */
import type { BodyContext } from './body-context.js';
import type { BuiltRow } from './body-parts.js';
import { entriesOfItem, entriesOfObject, type Fields } from './entries.js';
import type { RowFinder } from './row-finder.js';
import type { Level } from './object-level.js';
import type { ObjectShape, Subject } from './shape.js';

/** The source of an object. */
export interface ObjectSource {
  /** The object whose fields determine the source. */
  readonly owner: Subject | undefined;
  readonly level?: Level;
  readonly row?: BuiltRow | undefined;
}

/**
 * The source of the object: separate rows (`level`), an existing row (`row`), or the sources of the surrounding objects (neither).
 * Undefined for an object without mapped fields.
 */
export function sourceOf(
  shape: ObjectShape,
  context: BodyContext,
  isItem: boolean,
  { rows, fieldsOf }: { readonly rows: RowFinder; readonly fieldsOf: (shape: ObjectShape) => Fields },
): ObjectSource | undefined {
  const { levels, owner, subjects, span } = context;
  // A surrounding list item takes its rows from the fields of this object, so this object uses the same rows.
  if (!isItem && levels.length > 0 && owner === shape.subject) return { owner };
  const outside = new Set(subjects.slice(0, -1));
  const entries = isItem ? entriesOfItem(shape, fieldsOf, outside) : entriesOfObject(shape, fieldsOf);
  const [name] = entries.names;
  if (name === undefined) return undefined;
  const isAround = levels.some(({ first }) => first.row.fulfillment === name);
  if (!isItem && isAround) return { owner: entries.owner };
  const joined = rows.join(entries, levels, span, isItem);
  if (joined === undefined) return { owner: entries.owner };
  const { first } = joined;
  const row = isItem ? undefined : first.of.row;
  const level =
    row === undefined
      ? { ...joined, isRepeated: isItem }
      : // If the row is null, there is no object.
        {
          first: { row: { ...row, isOptional: false }, of: first.of },
          others: [],
          kept: [],
          isRepeated: false,
        };
  return { owner: entries.owner, level, row };
}
