/** One compilation of `apikiln dev`: the files of the new version, or the problems shown by the overlay. */
import { createHash } from 'node:crypto';
import type { Assets } from '../../../generate/assets.js';
import { compile, type Compilation } from '../../../compile.js';
import type { Config } from '../../../read/config/config-model.js';
import type { OpenSchemas } from '../../../analyze/database/open-schemas.js';
import { failureOf, problemsOf, type Problems } from '../../dev/problems.js';
import { timedOperations, type TimedOperation } from '../../dev/timed-operations.js';
import type { CompilationCache } from '../../../generate/emit/compilation-cache.js';
import type { GeneratedFile } from '../../../generate/emit/module/file.js';
import { exitStatus } from '../shared/output/exit-status.js';
import { runCompilation, type CompilationOptions } from '../shared/run-compilation.js';
import type { Terminal } from '../shared/output/terminal.js';

/** The outcome of a compilation without errors. */
export interface Compiled {
  readonly files: readonly GeneratedFile[];
  readonly config: Config;
  /** Changes with the API description. */
  readonly description: string;
  /** Operations with timers. */
  readonly timers: readonly TimedOperation[];
  /** A sentence about SQL that was not checked against a schema. */
  readonly unchecked: string | undefined;
  readonly thirdParties: Compilation['thirdParties'];
}

/** Inputs shared by all compilations of a session. */
export interface CompilationContext {
  /** Path of the configuration. */
  readonly config: string;
  readonly options: Omit<CompilationOptions, 'format'>;
  readonly terminal: Terminal;
  readonly assets: Assets;
  readonly cache: CompilationCache;
  readonly schemas: OpenSchemas;
}

/** Prints the diagnostics. `note` receives the paths of the files that are read. */
export async function compileVersion(
  { config, options, terminal, assets, cache, schemas }: CompilationContext,
  note: (file: string) => void,
): Promise<Compiled | { readonly problems: Problems }> {
  const {
    files,
    config: read,
    timed,
    thirdParties,
    diagnostics,
    status,
    unchecked,
  } = await runCompilation<Compilation>(
    config,
    { ...options, format: 'text', openSchemas: schemas },
    terminal,
    (input, databases) =>
      compile({ ...input, withTestPage: true, runsHere: true, keepsConfig: true }, assets, cache, databases),
    note,
  );
  if (status === exitStatus.fine && files !== undefined && read !== undefined) {
    const described = files.find(({ path }) => path === 'src/api-description.ts')?.text ?? '';
    const description = createHash('sha256').update(described).digest('hex');
    const timers = timedOperations(timed);
    return { files, config: read, description, timers, unchecked, thirdParties };
  }
  const problems = problemsOf(diagnostics);
  const tooMany = failureOf('Too many warnings', ['There are too many warnings.']);
  return { problems: problems.problems.length > 0 ? problems : tooMany };
}
