/**
 * Transpiles TypeScript to JavaScript, module by module, for a service that runs immediately. Types are not checked: generated code has no
 * type errors, and type errors in user code are found when the service is built.
 */
import { basename } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { transformSync } from 'oxc-transform';
import type { GeneratedFile } from '../../generate/emit/module/file.js';
import { typescript } from './load-typescript.js';

/** A JavaScript module, or its source map. */
export interface TranspiledFile {
  readonly path: string;
  readonly text: string;
}

interface Transpiled {
  readonly code: string;
  /** Undefined if not requested. */
  readonly map: string | undefined;
}

/**
 * Transpiles generated modules as a build does in `dist`, each with its source map unless `withMaps` is false. Uses oxc, or TypeScript if
 * oxc has no binding for the platform: for the whole runtime, oxc takes 0.04 s and TypeScript 4 s.
 */
export async function transpile(files: readonly GeneratedFile[], withMaps = true): Promise<TranspiledFile[]> {
  const oxc = await (transform ??= loadOxc());
  return inTurns(files, (file) => withOxc(file, withMaps, oxc) ?? withTypeScript(file, withMaps));
}

/**
 * Transpiles user modules with TypeScript, as in a built service. For this version of Node, oxc does not transform decorators or `using`.
 */
export function transpileUserCode(files: readonly GeneratedFile[]): Promise<TranspiledFile[]> {
  return inTurns(files, (file) => withTypeScript(file, true));
}

async function inTurns(
  files: readonly GeneratedFile[],
  write: (file: GeneratedFile) => Transpiled,
): Promise<TranspiledFile[]> {
  const done: TranspiledFile[] = [];
  for (const file of files) {
    if (!file.path.endsWith('.ts')) continue;
    const { code, map } = write(file);
    const path = file.path.replace(/^(runtime\/)?src\//, '$1dist/').replace(/\.ts$/, '.js');
    done.push({ path, text: code }, ...(map === undefined ? [] : [{ path: `${path}.map`, text: map }]));
    // Lets signals be handled between two modules.
    await nextTurn();
  }
  return done;
}

/** Undefined if there is no binding. */
let transform: Promise<typeof transformSync | undefined> | undefined;

async function loadOxc(): Promise<typeof transformSync | undefined> {
  try {
    const { transformSync } = await import('oxc-transform');
    return transformSync;
  } catch {
    return undefined;
  }
}

/** Undefined for code that oxc cannot transpile: it needs a package of oxc at run time, or oxc reports an error. */
function withOxc(
  { path, text }: GeneratedFile,
  withMap: boolean,
  oxc: typeof transformSync | undefined,
): Transpiled | undefined {
  const name = basename(path);
  const written = oxc?.(name, text, {
    lang: 'ts',
    sourceType: 'module',
    target: 'es2023',
    sourcemap: withMap,
    typescript: { onlyRemoveTypeImports: true },
  });
  if (written === undefined || written.errors.length > 0 || Object.keys(written.helpersUsed).length > 0)
    return undefined;
  const { code, map } = written;
  if (map === undefined) return { code, map };
  return {
    code: `${code}//# sourceMappingURL=${name.replace(/\.ts$/, '.js')}.map\n`,
    map: JSON.stringify(map),
  };
}

function withTypeScript({ path, text }: GeneratedFile, withMap: boolean): Transpiled {
  const ts = typescript();
  const { outputText, sourceMapText } = ts.transpileModule(text, {
    fileName: path,
    compilerOptions: {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      sourceMap: withMap,
      inlineSources: withMap,
    },
  });
  return { code: outputText, map: sourceMapText };
}
