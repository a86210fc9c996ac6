/** Everything that the commands write and print about a service, and the structure of the outputs. */
import { parseAllDocuments, isMap, isPair, isScalar, isSeq } from 'yaml';
import { guarded } from '../../compiler/notation/screen-writer.js';
import { Workspace } from '../commands/workspace.js';
import { shapeOf } from '../emit/shape.js';
import { markdownShape } from '../helpers/markdown-shape.js';
import type { HostileFiles } from './service.js';

/** Outputs by name, such as `explain --format json` or `docker/README.md`. */
export type Outputs = ReadonlyMap<string, string>;

/** Files without text from the configuration. */
const constant =
  /^(?:docker|kubernetes)\/(?:package(?:-lock)?\.json|tsconfig\.json|Dockerfile|\.dockerignore|\.gitignore)$/;

/** Runs the commands in a folder with the files; `old` is the service used by `diff`. Throws if a command has an unexpected exit status. */
export async function outputsOf(files: HostileFiles, old: HostileFiles, job: string): Promise<Outputs> {
  const space = new Workspace();
  try {
    for (const [path, text] of Object.entries(files)) space.write(path, text);
    for (const [path, text] of Object.entries(old)) space.write(`old/${path}`, text);
    const outputs = new Map<string, string>();
    const run = async (name: string, statuses: readonly number[], ...args: string[]): Promise<void> => {
      const { status, stdout, stderr } = await space.run(...args);
      if (!statuses.includes(status)) throw new Error(`${name}: status ${status}\n${stdout}\n${stderr}`);
      outputs.set(name, stdout);
      outputs.set(`${name} (log)`, stderr);
    };
    for (const target of ['docker', 'kubernetes']) {
      await run(`build ${target}`, [0], 'build', '--target', target, '--out', target);
      for (const [path, text] of Object.entries(space.files(target)))
        if (!path.startsWith('vendor/')) outputs.set(`${target}/${path}`, text);
    }
    await run('check', [0], 'check');
    for (const format of ['json', 'github', 'sarif'])
      await run(`check ${format}`, [0], 'check', '--format', format);
    await run('explain', [0], 'explain');
    await run('explain json', [0], 'explain', '--format', 'json');
    for (const [name, operation] of [
      ['A', 'GET /things/{id}'],
      ['B', 'GET /described'],
      ['export', 'GET /export'],
      ['job', job],
    ] as const)
      for (const format of ['text', 'json', 'mermaid'])
        await run(`explain ${name} ${format}`, [0], 'explain', '--format', format, '--', operation);
    for (const format of ['text', 'json', 'markdown'])
      await run(`diff ${format}`, [0, 1], 'diff', 'old', '.', '--format', format);
    for (const format of ['text', 'json'])
      await run(`audit ${format}`, [0], 'audit', '--fail-on', 'never', '--format', format);
    await run('openapi', [0], 'openapi', '--quiet');
    await run('openapi yaml', [0], 'openapi', '--quiet', '--format', 'yaml');
    return outputs;
  } finally {
    space.remove();
  }
}

/**
 * The part of an output that does not depend on texts: the same for a service and its plain twin. Throws if the output cannot be parsed.
 */
export async function structureOf(name: string, text: string): Promise<unknown> {
  if (constant.test(name)) return text;
  if (name.endsWith('.apikiln.json')) return 'digests';
  // The number of findings depends on the meaning of the text; each finding has the same form.
  if (/ github$/.test(name))
    return [
      ...new Set(text.split('\n').map((line) => /^(?:$|::(?:error|warning) [^:]*::)/.test(line) || line)),
    ];
  if (/^(?:check|audit) (?:json|sarif)$/.test(name)) return typeof JSON.parse(text);
  if (/^(?:check|audit|build)\b.*(?:text|\(log\)|check)$/.test(name)) return 'lines';
  if (/\/src\/operations\/.*\.ts$/.test(name))
    return shapeOf(text.replaceAll(/^((?:import .*|\}) from '\.\/)[a-z0-9-]+(\.js';)$/gm, '$1operation$2'));
  if (name.endsWith('.ts')) return shapeOf(text);
  if (name.endsWith('.yaml') || name.endsWith(' yaml')) return parseAllDocuments(text).map(yamlShape);
  if (/\.json$| json$|^openapi$| sarif$/.test(name)) return jsonShape(JSON.parse(text));
  if (/\.md$| markdown$/.test(name)) return (await markdownShape(text)).map(plainName);
  if (/\.env[\w.]*$/.test(name)) return text.split('\n').map(kindOfVariable);
  if (name.endsWith(' mermaid')) return text.replaceAll(/"[^"\n]*"/g, '""');
  // For text output, count lines that are not indented: indented SQL may have additional lines.
  return text.split('\n').filter((line) => /^\S/.test(line)).length;
}

/** Whether the output is read by programs, so that the terminal guard must not change it. */
export function isDocument(name: string): boolean {
  return /\.\w+$| (?:json|sarif|yaml|mermaid)$|^openapi$/.test(name) && !name.endsWith('.ts');
}

/** The output of a process in a GitHub workflow. */
export function inWorkflow(text: string): string {
  return guarded(text, { colours: false, github: true });
}

/** The file name with names of operations replaced by `*`. */
export function plainName(name: string): string {
  return name
    .replace(/src\/operations\/[a-z0-9-]+\.ts$/, 'src/operations/*.ts')
    .replace(/\/cronjob-[a-z0-9-]+\.yaml$/, '/cronjob-*.yaml');
}

function kindOfVariable(line: string): string {
  if (line === '' || line.startsWith('#')) return line.slice(0, 1);
  return /^[A-Z0-9_]+=(?:"(?:[^"\\]|\\.)*"|[^"\s]*)$/.test(line) ? 'A=' : line;
}

/** Many keys are user-defined names, so only their number is compared. Order is ignored, because it is alphabetical. */
function jsonShape(value: unknown): string {
  // A list of strings contains lines of SQL, whose number varies.
  if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string'))
    return 'strings';
  if (Array.isArray(value)) return `[${value.map(jsonShape).sort().join()}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.values(value).map(jsonShape).sort().join()}}`;
  return value === null ? 'null' : typeof value;
}

function yamlShape(document: { readonly contents: unknown; readonly errors: readonly Error[] }): string {
  const [error] = document.errors;
  if (error !== undefined) throw error;
  const shape = (node: unknown): string => {
    if (isSeq(node)) return `[${node.items.map(shape).sort().join()}]`;
    if (isMap(node)) return `{${node.items.map(shape).sort().join()}}`;
    if (isPair(node)) return `${shape(node.key)}:${shape(node.value)}`;
    return isScalar(node) ? typeof node.value : String(node);
  };
  return shape(document.contents);
}
