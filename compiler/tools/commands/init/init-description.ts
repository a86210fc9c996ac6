/** `apikiln init --from-openapi`: writes operations for an API description, and checks them before writing any file. */
import { copied } from '../../../notation/written.js';
import { basename, dirname, relative, resolve } from 'node:path';
import { readAssets } from '../../../generate/assets.js';
import { checkWithDatabases } from '../../../compile.js';
import { yaml } from '../../../notation/yaml-writer.js';
import { OpenSchemas } from '../../../analyze/database/open-schemas.js';
import { SchemaDatabases } from '../../../analyze/database/schema-databases.js';
import type { Diagnostic } from '../../../read/diagnostics/diagnostic.js';
import { Report } from '../../../read/diagnostics/report.js';
import {
  DescriptionWriter,
  operationName,
  type Remedy,
  type WrittenConfiguration,
} from '../../init/from-description.js';
import type { InitFile } from '../../init/init-file.js';
import type { StarterDatabase, StarterSyntax } from '../../init/starter.js';
import { wordsOf } from '../../init/words.js';
import { bundle } from '../../../read/openapi/bundle.js';
import type { DescriptionInput } from '../../../read/openapi/documents.js';
import { readDescription } from '../../../read/openapi/read-description.js';
import { position, type Source } from '../../../read/source.js';
import { descriptionAt } from '../shared/files/description.js';
import { refuseOther } from './refuse-other.js';
import { CommandError, exitStatus } from '../shared/output/exit-status.js';
import { packageFolder } from '../shared/files/package-folder.js';
import type { Terminal } from '../shared/output/terminal.js';

export interface FromDescription {
  readonly files: readonly InitFile[];
  /** A sentence about the files for the user. */
  readonly note: string;
}

/** `file` is the path of the description as entered by the user. Throws a CommandError. */
export async function filesFromDescription(
  file: string,
  syntax: StarterSyntax,
  database: StarterDatabase,
  terminal: Terminal,
): Promise<FromDescription> {
  const files = readFiles(file, terminal.folder);
  const report = new Report();
  const description = readDescription(files.input, report);
  rejectErrors(report.diagnostics, file, terminal.folder);
  if (description === undefined || description.endpoints.length === 0)
    throw new CommandError(exitStatus.errors, `${file} has no operations: there is nothing under 'paths'.`);
  const main = /^\s*\{/.test(files.input.source.text) ? 'openapi.json' : 'openapi.yaml';
  const others = [...files.read].filter(([path]) => path !== basename(file));
  // The description is renamed, and the name may belong to another file of the service.
  const isCopied = others.every(
    ([path, { text }]) => !text.includes(basename(file)) && !written.has(path) && path !== main,
  );
  const copies: [InitFile, ...InitFile[]] = isCopied
    ? [
        { path: main, text: copied(files.input.source.text) },
        ...others.map(([path, { text }]) => ({ path, text: copied(text) })),
      ]
    : [{ path: 'openapi.yaml', text: yaml.document(bundle(description.written)) }];
  const writer = new DescriptionWriter(description, {
    words: wordsOf(syntax),
    dialect: database,
  });
  const schemas = new OpenSchemas(1);
  let configuration;
  try {
    configuration = await checked(writer, description.endpoints.map(operationName), (written) =>
      diagnosticsOf(written, copies, schemas),
    );
  } finally {
    await schemas.close();
  }
  const { config, meant, schema, tests, placeholders, lines } = configuration;
  refuseOther(config, meant);
  const gitignore = readAssets(packageFolder()).template('starter/gitignore');
  return {
    files: [
      { path: 'config.yaml', text: config },
      ...copies,
      { path: 'schema.sql', text: schema },
      ...(tests === undefined ? [] : [{ path: 'config.test.yaml', text: tests }]),
      { path: '.gitignore', text: gitignore, mayExist: true },
    ],
    note: `\n${noteOn(lines.size, placeholders)}`,
  };
}

function noteOn(operations: number, placeholders: number): string {
  const all = `${operations} ${operations === 1 ? 'operation' : 'operations'}`;
  if (placeholders === 0) return `${all}.`;
  return `${all}, ${placeholders} of them ${placeholders === 1 ? 'a placeholder' : 'placeholders'}: look for '# A placeholder' in config.yaml.`;
}

const written = new Set(['config.yaml', 'schema.sql', 'config.test.yaml', '.gitignore']);

interface FilesOfDescription {
  readonly input: DescriptionInput;
  /** Files that the description refers to, by path relative to its folder; only files that have been read. */
  readonly read: Map<string, Source>;
}

function readFiles(file: string, folder: string): FilesOfDescription {
  const absolute = resolve(folder, file);
  const input = descriptionAt(file, { config: resolve(dirname(absolute), 'config.yaml'), folder });
  const read = new Map<string, Source>();
  const noted: DescriptionInput['read'] = (path) => {
    const source = input.read(path);
    if (source !== undefined && source !== 'private') read.set(path, source);
    return source;
  };
  return { input: { source: input.source, read: noted }, read };
}

/** Throws a CommandError with one sentence per error. */
function rejectErrors(diagnostics: readonly Diagnostic[], file: string, folder: string): void {
  const reasons = diagnostics.flatMap(({ severity, span: { source, start }, message }) => {
    const path = relative(folder, resolve(folder, source.path));
    return severity === 'error'
      ? [`${path || file}:${position(source, start).line}: ${message.replaceAll(/\s+/g, ' ')}`]
      : [];
  });
  const [first, ...others] = reasons;
  if (first === undefined) return;
  const all = others.length === 0 ? ` ${first}` : ['', ...reasons].join('\n  ');
  throw new CommandError(exitStatus.errors, `Nothing was written, because of${all}`);
}

/** Checks until nothing changes: invalid operations become placeholders, and invalid placeholders are removed. */
async function checked(
  writer: DescriptionWriter,
  names: readonly string[],
  check: (written: WrittenConfiguration) => Promise<readonly Diagnostic[]>,
): Promise<WrittenConfiguration> {
  const remedies = new Map<string, Remedy>();
  for (let round = 0; ; round += 1) {
    const now = writer.write(remedies);
    const diagnostics = await check(now);
    const changed = names.filter((name) => {
      const lines = now.lines.get(name);
      if (lines === undefined) return false;
      const own = diagnostics.filter(({ span }) => {
        const { line } = position(span.source, span.start);
        return span.source.path === 'config.yaml' && line >= lines.first && line <= lines.last;
      });
      const remedy = remedyFor(remedies.get(name) ?? {}, own);
      if (remedy !== undefined) remedies.set(name, remedy);
      return remedy !== undefined;
    });
    if (changed.length > 0 && round < rounds) continue;
    if (now.lines.size === 0)
      throw new CommandError(
        exitStatus.errors,
        'Nothing was written, because no operation of the description can be served.',
      );
    rejectErrors(diagnostics, 'config.yaml', '.');
    return now;
  }
}

/** At most a placeholder, a removal, and comments: more rounds are never needed. */
const rounds = 4;

function remedyFor(remedy: Remedy, own: readonly Diagnostic[]): Remedy | undefined {
  const error = own.find(({ severity }) => severity === 'error');
  if (error !== undefined)
    return remedy.isPlaceholder === true
      ? { leftOut: error.message.replaceAll(/\s+/g, ' ') }
      : { isPlaceholder: true };
  const open = own
    .map(({ code }) => code)
    .filter((code) => code.startsWith('unread-') || code === 'undescribed-status');
  if (open.length === 0) return undefined;
  return { ...remedy, disabled: [...new Set([...(remedy.disabled ?? []), ...open])].sort() };
}

async function diagnosticsOf(
  { config, schema }: WrittenConfiguration,
  copies: readonly [InitFile, ...InitFile[]],
  schemas: OpenSchemas,
): Promise<readonly Diagnostic[]> {
  const [source, ...others] = copies;
  const sources = [{ path: 'schema.sql', text: schema }];
  const databases = new SchemaDatabases(
    () => ({ kind: 'schema', sources, isNamed: false }),
    undefined,
    schemas,
  );
  const read = (path: string): Source | undefined => others.find((one) => one.path === path);
  const { diagnostics } = await checkWithDatabases(
    { config: { path: 'config.yaml', text: config }, description: { source, read } },
    databases,
  );
  return diagnostics;
}
