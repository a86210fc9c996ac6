/** Compiles configurations in memory. */
import { readAssets } from '../../compiler/generate/assets.js';
import { compile, type Compilation } from '../../compiler/compile.js';
import type { GeneratedFile } from '../../compiler/generate/emit/module/file.js';
import { repository } from '../helpers/service-fixture.js';

export const assets = readAssets(repository);

/** Files and diagnostics for the text of a configuration. */
export function compileText(text: string, path = 'config.yaml'): Promise<Compilation> {
  return compile({ config: { path, text } }, assets);
}

/** The files for a valid configuration, passed as YAML or as a plain value. */
export async function filesOf(
  config: object | string,
  path = 'config.yaml',
): Promise<readonly GeneratedFile[]> {
  const text = typeof config === 'string' ? config : JSON.stringify(config);
  const { files, diagnostics } = await compileText(text, path);
  if (files === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return files;
}

/** The text of the file at the path. */
export function textOf(files: readonly GeneratedFile[], path: string): string {
  const file = files.find((file) => file.path === path);
  if (file === undefined)
    throw new Error(`There is no ${path} among ${files.map((file) => file.path).join(', ')}`);
  return file.text;
}
