/** The files of the package that go into every service: the runtime's source and the templates. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Assets {
  /** Path in the service (`src/runtime/…`) to text. */
  readonly runtime: ReadonlyMap<string, string>;
  template(name: string): string;
}

/** Reads them from the package's folder. */
export function readAssets(packageFolder: string): Assets {
  const folder = join(packageFolder, 'runtime');
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  const runtime = paths
    .sort()
    .map((path): [string, string] => [
      `src/runtime/${path.replaceAll('\\', '/')}`,
      readFileSync(join(folder, path), 'utf8'),
    ]);
  return {
    runtime: new Map(runtime),
    template: (name) => readFileSync(join(packageFolder, 'templates', name), 'utf8'),
  };
}
