/** The SQL of a PostgreSQL database in an order that loads, without objects that a separate database cannot create. */
import { copied, type Written } from '../../../notation/written.js';
import type { DiskCache } from '../../../analyze/database/disk-cache.js';
import { EmbeddedPostgres } from '../../../analyze/database/embedded/embedded-postgres.js';
import type { SchemaObject } from '../../../analyze/database/read-tables.js';

export interface LoadableSchema {
  /** In an order in which each finds the objects that it needs. */
  readonly objects: readonly SchemaObject[];
  /** The objects that are left out. */
  readonly leftOut: readonly LeftOut[];
}

interface LeftOut extends Pick<SchemaObject, 'kind' | 'name'> {
  /** The reason, in the words of the database. */
  readonly reason: string;
}

/** Kinds of objects that may be left out if they do not load; the operations of a table go with it. */
const canBeLeftOut = new Set<SchemaObject['kind']>([
  ...(['function', 'aggregate', 'table', 'index', 'foreign key', 'view', 'trigger'] as const),
]);

/** Bodies of functions can name objects that are created later. */
const unchecked = 'SET check_function_bodies = off;';

/** Tries them in an embedded database; an object that needs a later one is moved after it. */
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
    // Without an extension that the server has, refusals are not certain.
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

/** The schema as a file, in the SQL of the server's catalogue. */
export function schemaText(objects: readonly SchemaObject[]): Written<'copy'> {
  const first = objects.findIndex(({ kind }) => kind === 'function');
  const parts = objects.map(({ kind, sql }, index) => {
    const isShort = !sql.includes('\n') && objects[index - 1]?.kind === kind && kind !== 'table';
    const before = index === 0 ? '' : isShort ? '\n' : '\n\n';
    return `${before}${index === first ? `${unchecked}\n\n` : ''}${sql}`;
  });
  return copied(`${parts.join('')}\n`);
}
