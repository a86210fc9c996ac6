/** The SQL of a PostgreSQL database in a loadable order, without objects that a separate database cannot create. */
import { copied, type Written } from '../../../notation/written.js';
import type { DiskCache } from '../../../analyze/database/disk-cache.js';
import { EmbeddedPostgres } from '../../../analyze/database/embedded/embedded-postgres.js';
import type { SchemaObject } from '../../../analyze/database/read-tables.js';

export interface LoadableSchema {
  /** Ordered so that each object follows the objects that it needs. */
  readonly objects: readonly SchemaObject[];
  /** Omitted objects. */
  readonly leftOut: readonly LeftOut[];
}

interface LeftOut extends Pick<SchemaObject, 'kind' | 'name'> {
  /** The database's error message. */
  readonly reason: string;
}

/** Kinds of objects that may be omitted if they do not load; a table's operations are omitted with it. */
const canBeLeftOut = new Set<SchemaObject['kind']>([
  ...(['function', 'aggregate', 'table', 'index', 'foreign key', 'view', 'trigger'] as const),
]);

/** Function bodies can refer to objects that are created later. */
const unchecked = 'SET check_function_bodies = off;';

/** Creates the objects in an embedded database; an object that needs a later one is moved after it. */
export async function loadableSchema(
  objects: readonly SchemaObject[],
  kept: DiskCache,
): Promise<LoadableSchema> {
  const extensions = objects.filter(({ kind }) => kind === 'extension').map(({ name }) => name);
  const database = await EmbeddedPostgres.start(extensions, kept);
  try {
    await database.run(unchecked);
    const loaded: SchemaObject[] = [];
    let refused: { readonly object: SchemaObject; readonly reason: string }[] = [];
    let pending = objects;
    do {
      refused = [];
      for (const object of pending) {
        const problem = await database.run(object.sql);
        if (problem === undefined) loaded.push(object);
        else refused.push({ object, reason: problem.message });
      }
      if (refused.length === pending.length) break;
      pending = refused.map(({ object }) => object);
    } while (refused.length > 0);
    // If an extension is missing here, other failures may be caused by it.
    const lacksExtension = refused.some(({ object }) => object.kind === 'extension');
    const isLeftOut = ({ kind }: SchemaObject): boolean => !lacksExtension && canBeLeftOut.has(kind);
    const others = refused.map(({ object }) => object).filter((object) => !isLeftOut(object));
    return {
      objects: [
        ...others.filter(({ kind }) => kind === 'extension'),
        ...loaded,
        ...others.filter(({ kind }) => kind !== 'extension'),
      ],
      leftOut: refused.flatMap(({ object, reason }) =>
        isLeftOut(object) ? [{ kind: object.kind, name: object.name, reason }] : [],
      ),
    };
  } finally {
    await database.close();
  }
}

/** The schema file, in the SQL of the server's catalogue. */
export function schemaText(objects: readonly SchemaObject[]): Written<'copy'> {
  const first = objects.findIndex(({ kind }) => kind === 'function');
  const parts = objects.map(({ kind, sql }, index) => {
    const isShort = !sql.includes('\n') && objects[index - 1]?.kind === kind && kind !== 'table';
    const before = index === 0 ? '' : isShort ? '\n' : '\n\n';
    return `${before}${index === first ? `${unchecked}\n\n` : ''}${sql}`;
  });
  return copied(`${parts.join('')}\n`);
}
