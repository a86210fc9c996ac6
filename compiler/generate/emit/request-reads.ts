/**
 * Values that a handler reads more than once: request values become constants at the top of the handler, element values at the top of the
 * loop.
 */
import { constant, type Code, type Name, type Statement } from '../code/code.js';
import { camelCase } from '../plan/names/identifiers.js';
import type { Path } from '../plan/model.js';
import { elementKey, pathKey, type RepeatedReads } from '../plan/requests/repeated-reads.js';
import type { Names } from './module/names.js';

interface Constant {
  readonly name: Name;
  readonly code: Code;
  uses: number;
}

/** The variable of a loop element, and the path read from it. */
interface ElementRead {
  readonly variable: Name;
  readonly path: Path;
}

export class RequestReads {
  readonly #params = new Map<string, Constant>();
  readonly #paths = new Map<string, Constant>();
  /** Constants by element variable. */
  readonly #elements = new Map<string, Map<string, Constant>>();
  readonly #elementUses = new Map<string, number>();

  constructor(
    private readonly repeated: RepeatedReads,
    private readonly names: Names,
  ) {}

  /** Code that reads the parameter: `code`, or the constant that holds its value. */
  param(parameter: string, code: Code): Code {
    if (!this.repeated.params.has(parameter)) return code;
    const wished = camelCase(parameter, 'param');
    return this.#read(this.#params, parameter, { wished, suffix: 'Param', code });
  }

  /** Code that reads the value at this path of the body. */
  body(path: Path, code: Code): Code {
    const key = pathKey(path);
    const last = path.findLast((step) => step.kind === 'name');
    if (last === undefined || !this.repeated.paths.has(key)) return code;
    return this.#read(this.#paths, key, { wished: camelCase(last.name, 'field'), suffix: 'Field', code });
  }

  /** Code that reads the value at this path of a loop element. */
  element({ variable, path }: ElementRead, code: Code): Code {
    const key = elementKey(variable.name, path);
    this.#elementUses.set(key, (this.#elementUses.get(key) ?? 0) + 1);
    const last = path.findLast((step) => step.kind === 'name');
    if (last === undefined || !this.repeated.elements.has(key)) return code;
    const constants = this.#elements.get(variable.name) ?? new Map<string, Constant>();
    this.#elements.set(variable.name, constants);
    return this.#read(constants, key, { wished: camelCase(last.name, 'field'), suffix: 'Field', code });
  }

  /** Declarations of the request constants, in order of first use. */
  get declarations(): readonly Statement[] {
    return [...this.#params.values(), ...this.#paths.values()].map(declaration);
  }

  /** Declarations of the element values read from this variable. */
  declarationsOf({ name: variable }: Name): readonly Statement[] {
    return [...(this.#elements.get(variable)?.values() ?? [])].map(declaration);
  }

  /** Values that turned out to be read more than once; only these need constants. */
  get repeatedAfterAll(): RepeatedReads {
    const elements = [...this.#elementUses].filter(([, uses]) => uses > 1).map(([key]) => key);
    return { params: keysOf(this.#params), paths: keysOf(this.#paths), elements: new Set(elements) };
  }

  /**
   * Whether constants and repeated values match: each constant is used more than once, and each element value read more than once has a
   * constant.
   */
  get areAllRepeated(): boolean {
    const { elements } = this.repeatedAfterAll;
    return (
      [...this.#params.values(), ...this.#paths.values()].every(({ uses }) => uses > 1) &&
      elements.size === this.repeated.elements.size &&
      [...elements].every((key) => this.repeated.elements.has(key))
    );
  }

  #read(
    constants: Map<string, Constant>,
    key: string,
    { wished, suffix, code }: { readonly wished: string; readonly suffix: string; readonly code: Code },
  ): Name {
    const known = constants.get(key) ?? { name: this.names.take(wished, suffix), code, uses: 0 };
    known.uses += 1;
    constants.set(key, known);
    return known.name;
  }
}

function declaration({ name, code }: Constant): Statement {
  return constant(name, code);
}

function keysOf(constants: ReadonlyMap<string, Constant>): ReadonlySet<string> {
  return new Set([...constants].filter(([, { uses }]) => uses > 1).map(([key]) => key));
}
