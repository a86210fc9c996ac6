/** Values of the request that a handler reads more than once: constants at its top. */
import { camelCase } from '../plan/names/identifiers.js';
import type { Path } from '../plan/model.js';
import { pathKey, type RepeatedReads } from '../plan/repeated-reads.js';
import type { Names } from './module/names.js';

interface Constant {
  readonly name: string;
  readonly text: string;
  uses: number;
}

export class RequestReads {
  readonly #params = new Map<string, Constant>();
  readonly #paths = new Map<string, Constant>();

  constructor(
    private readonly repeated: RepeatedReads,
    private readonly names: Names,
  ) {}

  /** The code that reads the parameter: `text`, or the constant that holds it. */
  param(name: string, text: string): string {
    if (!this.repeated.params.has(name)) return text;
    return this.#read(this.#params, name, { wished: camelCase(name, 'param'), suffix: 'Param', text });
  }

  /** The code that reads the value at the path of the body. */
  body(path: Path, text: string): string {
    const key = pathKey(path);
    const last = path.findLast((step) => step.kind === 'name');
    if (last === undefined || !this.repeated.paths.has(key)) return text;
    return this.#read(this.#paths, key, { wished: camelCase(last.name, 'field'), suffix: 'Field', text });
  }

  /** In the order of their first uses. */
  get declarations(): readonly string[] {
    return [...this.#params.values(), ...this.#paths.values()].map(
      ({ name, text }) => `const ${name} = ${text};`,
    );
  }

  /** Values that are read more than once: the others need no constant. */
  get repeatedAfterAll(): RepeatedReads {
    return { params: keysOf(this.#params), paths: keysOf(this.#paths) };
  }

  /** Whether every constant is used more than once. */
  get areAllRepeated(): boolean {
    return [...this.#params.values(), ...this.#paths.values()].every(({ uses }) => uses > 1);
  }

  #read(
    constants: Map<string, Constant>,
    key: string,
    { wished, suffix, text }: { readonly wished: string; readonly suffix: string; readonly text: string },
  ): string {
    const known = constants.get(key) ?? { name: this.names.take(wished, suffix), text, uses: 0 };
    known.uses += 1;
    constants.set(key, known);
    return known.name;
  }
}

function keysOf(constants: ReadonlyMap<string, Constant>): ReadonlySet<string> {
  return new Set([...constants].filter(([, { uses }]) => uses > 1).map(([key]) => key));
}
