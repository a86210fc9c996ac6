/** Finds the configuration of a file, and the apikiln that is installed for it. */
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, delimiter, dirname, join, relative, sep } from 'node:path';

/** Like the language server: a configuration has any name, and `specification` as a top-level field. */
export function isConfiguration(text: string): boolean {
  return /^(['"]?)specification\1\s*:/m.test(text);
}

/** The file itself if it is a configuration, otherwise the nearest `config.yaml` above it. Files outside of `root` are not considered. */
export function configurationOf(file: string, text: string, root: string): string | undefined {
  if (isConfiguration(text)) return file;
  for (const folder of foldersUpTo(root, dirname(file)))
    for (const name of ['config.yaml', 'config.yml']) {
      const path = join(folder, name);
      if (path !== file && isFile(path) && isConfiguration(readFileSync(path, 'utf8'))) return path;
    }
  return undefined;
}

/** The part of VS Code's settings that names the tool. */
export interface ToolSettings {
  /** The folder of an installed package, or its `cli.js`; empty for the package installed for the configuration. */
  readonly path: string;
  /** The variable PATH. */
  readonly searchPath: string;
}

/**
 * The `cli.js` of the package in the nearest `node_modules` up to `root`, otherwise of the program `apikiln` in PATH. A package above the
 * root is ignored, because only the files in the root are trusted.
 */
export function findTool(configuration: string, root: string, settings: ToolSettings): string | undefined {
  if (settings.path !== '') return programIn(settings.path);
  const installed = foldersUpTo(root, dirname(configuration)).map((folder) =>
    programIn(join(folder, 'node_modules', 'apikiln')),
  );
  return installed.find((path) => path !== undefined) ?? globalProgram(settings.searchPath);
}

/** The folder and its parents up to the root, nearest first; empty outside of the root. */
function foldersUpTo(root: string, folder: string): string[] {
  const inside = relative(root, folder);
  if (inside === '..' || inside.startsWith(`..${sep}`) || inside.includes(':')) return [];
  const steps = inside.split(sep).filter((step) => step !== '');
  return [...steps.keys(), steps.length].map((count) => join(root, ...steps.slice(0, count))).reverse();
}

function programIn(path: string): string | undefined {
  const program = basename(path) === 'cli.js' ? path : join(path, 'dist', 'compiler', 'cli.js');
  return isFile(program) ? program : undefined;
}

/** `npm install --global` links the program in PATH; on Windows it writes a script next to `node_modules`. */
function globalProgram(searchPath: string): string | undefined {
  for (const folder of searchPath.split(delimiter).filter((part) => part !== '')) {
    const beside = programIn(join(folder, 'node_modules', 'apikiln'));
    if (beside !== undefined) return beside;
    const link = join(folder, 'apikiln');
    if (!existsSync(link)) continue;
    const target = realpathSync(link);
    if (basename(target) === 'cli.js') return target;
  }
  return undefined;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
