/** The files of an API description, and the targets of references (`$ref`). */
import { entryOf, type MapNode, type Node, type ScalarNode } from '../config/yaml/node.js';
import { readJson, readJsonLater } from '../config/yaml/json-nodes.js';
import { readYaml } from '../config/yaml/yaml-document.js';
import { readYamlLater } from '../config/yaml/yaml-later.js';
import type { Report } from '../diagnostics/report.js';
import { nearest } from '../diagnostics/suggest.js';
import type { Source } from '../source.js';
import type { Document, NodeInFile } from './node-in-file.js';
import { Children, escapeToken, followPointer, pointerTokens, referenceIn } from './pointer.js';

/** The input for reading an API description; the compiler does not access the disk itself. */
export interface DescriptionInput {
  readonly source: Source;
  /**
   * Reads the file at this path below the description's folder (with slashes, without `..`). Undefined if missing; `private` for the
   * configuration and files with environment variables (under any name), whose content must not be shown.
   */
  readonly read: (path: string) => Source | 'private' | undefined;
  /** Other descriptions in the folder, which may be the intended one but are not read. */
  readonly others?: readonly string[];
}

/** The target of a reference. */
export interface Target extends NodeInFile {
  /** The pointer steps inside the file; empty for the whole file. */
  readonly tokens: readonly string[];
}

/** All files of a description; each is read when it is first referenced. */
export class Documents {
  /** The main file; undefined if unreadable. */
  readonly main: Document | undefined;
  readonly #documents = new Map<string, Document | undefined>();
  readonly #children = new Children();
  #areIncomplete = false;
  /** References currently being followed: the path to a target can contain other references. */
  readonly #following = new Set<ScalarNode>();

  constructor(
    private readonly input: DescriptionInput,
    private readonly report: Report,
    /** `parts` parses only referenced parts, for large files of which little is used. */
    private readonly reading: 'whole' | 'parts' = 'whole',
  ) {
    const path = input.source.path.split(/[\\/]/).at(-1) ?? '';
    this.main = this.#parse(path, input.source);
  }

  /** Whether a part of a file is invalid YAML. */
  get areIncomplete(): boolean {
    return this.#areIncomplete;
  }

  /** The target of a `$ref`; undefined if broken, which is reported. */
  target(reference: ScalarNode, from: Document): Target | undefined {
    if (this.#following.has(reference)) {
      this.report.add('cyclic-reference', reference.span, { reference: reference.text.value });
      return undefined;
    }
    this.#following.add(reference);
    const target = this.#follow(reference, from);
    this.#following.delete(reference);
    return target;
  }

  #follow(reference: ScalarNode, from: Document): Target | undefined {
    const written = reference.text.value;
    const [file = '', fragment = ''] = written.split(/#(.*)/s);
    const document = file === '' ? from : this.#document(file, reference, from);
    if (document === undefined) return undefined;
    const tokens = pointerTokens(fragment);
    if (tokens === undefined) return this.#anchor(fragment, document, reference);
    const follow = (inner: ScalarNode, within: Document): Target | undefined => this.target(inner, within);
    const found = followPointer({ node: document.root, document }, tokens, follow, this.#children);
    if ('spot' in found) return { ...found.spot, tokens };
    if (this.report.isIncomplete(document.source)) return undefined;
    const meant = nearest(found.token, found.known);
    const { prefix } = found;
    this.report.add('broken-reference', reference.span, {
      reference: written,
      problem: `there is no '${found.token}' in ${prefix === '' ? (file === '' ? 'the file' : `'${file}'`) : `'${prefix}'`}`,
      meant: meant === undefined ? undefined : `${file}#${prefix}/${escapeToken(meant)}`,
    });
    return undefined;
  }

  /** The node after following references repeatedly. */
  resolve(spot: NodeInFile): NodeInFile | undefined {
    const seen = new Set<Node>();
    for (let { node, document } = spot; ;) {
      const reference = referenceIn(node);
      if (reference === undefined) return { node, document };
      if (seen.has(node)) {
        this.report.add('cyclic-reference', reference.span, { reference: reference.text.value });
        return undefined;
      }
      seen.add(node);
      const target = this.target(reference, document);
      if (target === undefined) return undefined;
      ({ node, document } = target);
    }
  }

  #document(file: string, reference: ScalarNode, from: Document): Document | undefined {
    const path = pathFrom(from.path, decoded(file));
    if (path === undefined) {
      this.report.add('remote-reference', reference.span, { reference: reference.text.value });
      return undefined;
    }
    if (path === this.main?.path) return this.main;
    if (!this.#documents.has(path)) {
      const source = this.input.read(path);
      const isFile = source !== undefined && source !== 'private';
      this.#documents.set(path, isFile ? this.#parse(path, source) : undefined);
      if (source === 'private')
        this.report.add('private-reference', reference.span, { reference: reference.text.value, path });
      if (source === undefined) {
        this.report.add('broken-reference', reference.span, {
          reference: reference.text.value,
          problem: `file '${path}' does not exist below the folder of the API description`,
          meant: this.#meantFile(path, reference, from),
        });
      }
    }
    return this.#documents.get(path);
  }

  /** The reference with the most similar name of a known file in the same folder. */
  #meantFile(path: string, reference: ScalarNode, from: Document): string | undefined {
    const known = [...this.#documents].flatMap(([name, document]) => (document === undefined ? [] : [name]));
    const meant = from.path.includes('/') ? undefined : nearest(path, known);
    return meant === undefined ? undefined : reference.text.value.replace(/^[^#]*/, () => meant);
  }

  #parse(path: string, source: Source): Document | undefined {
    const inParts = this.reading === 'parts';
    const json = inParts ? readJsonLater(source) : readJson(source);
    const root = json ?? (inParts ? readYamlLater(source) : undefined) ?? readYaml(source, this.report);
    if (this.report.isIncomplete(source)) this.#areIncomplete = true;
    return root === undefined ? undefined : { path, source, root, isYaml: json === undefined };
  }

  /** The target of `#name`: the schema with that `$anchor` (OpenAPI 3.1). */
  #anchor(name: string, document: Document, reference: ScalarNode): Target | undefined {
    const node = findAnchor(document.root, name);
    if (node !== undefined) return { node, document, tokens: [name] };
    if (this.report.isIncomplete(document.source)) return undefined;
    this.report.add('broken-reference', reference.span, {
      reference: reference.text.value,
      problem: `after the '#' must be a path such as '/components/schemas/News'`,
      meant: name.includes('/') ? `#/${name}` : `#/components/schemas/${name}`,
    });
    return undefined;
  }
}

/** The path of `file`, as referenced in `from`, relative to the description's folder; undefined for URLs and paths outside. */
export function pathFrom(from: string, file: string): string | undefined {
  if (/^(?:[a-z][a-z\d+.-]*:|[\\/])/i.test(file)) return undefined;
  const steps = from.split('/').slice(0, -1);
  for (const step of file.split('/')) {
    if (step === '..') {
      if (steps.pop() === undefined) return undefined;
    } else if (step !== '.' && step !== '') steps.push(step);
  }
  return steps.join('/');
}

function findAnchor(node: Node, name: string): MapNode | undefined {
  if (node.kind === 'scalar') return undefined;
  if (node.kind === 'map') {
    const anchor = entryOf(node, '$anchor')?.value;
    if (anchor?.kind === 'scalar' && anchor.text.value === name) return node;
  }
  const children = node.kind === 'list' ? node.items : node.entries.map(({ value }) => value);
  for (const child of children) {
    const found = findAnchor(child, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Decodes a part of a URL; unchanged if the encoding is invalid. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
