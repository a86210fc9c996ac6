/** The text of a generated module by itself, before it is formatted. */
import { CompilationCache } from '../../compiler/generate/emit/compilation-cache.js';
import { ImportsCache } from '../../compiler/generate/emit/module/imports-cache.js';
import type { Module } from '../../compiler/generate/emit/module/module.js';

export async function moduleText(module: Module): Promise<string> {
  const imports = new ImportsCache(new CompilationCache().imports);
  const [head = ''] = await imports.texts([module.imports]);
  return module.text(head);
}
