/** Recipes that are a folder of their own: their blocks name the files. */
import { copied } from '../../compiler/notation/written.js';
import { join } from 'node:path';
import { readAssets } from '../../compiler/generate/assets.js';
import { compile } from '../../compiler/compile.js';
import { ownImportsIn } from '../../compiler/tools/typescript/module-imports.js';
import type { AttachedServer } from '../helpers/database-server.js';
import { buildServices } from '../helpers/service-build.js';
import { repository } from '../helpers/service-fixture.js';
import { readDocument, type CodeBlock } from './code-blocks.js';

export interface RecipeFolder {
  readonly name: string;
  /** Texts by path. */
  readonly files: ReadonlyMap<string, string>;
  /** All blocks of the page. */
  readonly blocks: readonly CodeBlock[];
  /** Requests, each with the block of its response. */
  readonly exchanges: readonly (readonly [name: string, request: CodeBlock, response: CodeBlock])[];
}

/** The page `docs/recipes/<name>.md`. */
export function recipeFolder(name: string): RecipeFolder {
  const { blocks } = readDocument(`docs/recipes/${name}.md`);
  const files = blocks.flatMap(({ words: [path = ''], text }) =>
    path.includes('.') ? [[path, text] as const] : [],
  );
  const exchanges = blocks.flatMap((request, index) => {
    const response = blocks[index + 1];
    return request.language === 'http' && response !== undefined
      ? [[`${request.text.split('\n')[0] ?? ''} (line ${request.line})`, request, response] as const]
      : [];
  });
  return { name, files: new Map(files), blocks, exchanges };
}

/** Builds the services of the folders; returns the folder of each service by name, and its generated files by path. */
export async function buildRecipes(
  group: string,
  folders: readonly RecipeFolder[],
): Promise<
  ReadonlyMap<string, { readonly folder: string; readonly generated: ReadonlyMap<string, string> }>
> {
  const services = await Promise.all(
    folders.map(async ({ name, files }) => {
      const own = [...files]
        .filter(([path]) => path.startsWith('src/'))
        .map(([path, text]) => ({ path, text: copied(text), kind: 'once' as const }));
      const { files: generated = [], diagnostics } = await compile(
        { config: { path: 'config.yaml', text: files.get('config.yaml') ?? '' }, ...ownImportsIn(own) },
        readAssets(repository),
      );
      if (diagnostics.length > 0) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
      const others = generated.filter(({ path }) => !files.has(path));
      return { name, files: [...others, ...own] };
    }),
  );
  const built = buildServices(group, services);
  return new Map(
    services.map(({ name, files }) => [
      name,
      {
        folder: built.get(name) ?? join(repository, 'dist/test', group, name),
        generated: new Map(files.map(({ path, text }) => [path, text as string])),
      },
    ]),
  );
}

/** Creates the database of a folder without a migration tool: `schema.sql` and `seed.sql`, or the migrations up to the last one. */
export async function createRecipeDatabase(
  server: AttachedServer,
  database: string,
  { files }: RecipeFolder,
): Promise<void> {
  await server.createDatabase(database);
  const sql = [...files].flatMap(([path, text]) =>
    path.endsWith('.sql') ? [text.replace(/^-- migrate:down[^]*/m, '')] : [],
  );
  await server.exec(database, sql.join('\n'));
}

/** The URL of a database in the notation that other tools have. */
export function urlOf({ host, port, user, password }: AttachedServer, database: string): string {
  return `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}?sslmode=disable`;
}

/** The response of a page: its status, and its body. */
export function shownIn({ words: [status], text }: CodeBlock): { status: number; body: unknown } {
  return { status: Number(status), body: JSON.parse(text) as unknown };
}

/** A response in the same form. */
export async function bodyOf(response: Response): Promise<{ status: number; body: unknown }> {
  return { status: response.status, body: await response.json() };
}
