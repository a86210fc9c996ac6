/** Values that a handler reads more than once: those of the request are constants at its top, those of a loop's element at the top of the loop. */
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

/** The variable of a loop's element, and the path that is read of it. */
interface ElementRead {
  readonly variable: Name;
  readonly path: Path;
}

export class RequestReads {
  readonly #params = new Map<string, Constant>();
  readonly #paths = new Map<string, Constant>();
  /** By the variable of the element. */
  readonly #elements = new Map<string, Map<string, Constant>>();
  readonly #elementUses = new Map<string, number>();

  constructor(
    private readonly repeated: RepeatedReads,
    private readonly names: Names,
  ) {}

  /** The code that reads the parameter: `code`, or the constant that holds it. */
  param(parameter: string, code: Code): Code {
    if (!this.repeated.params.has(parameter)) return code;
    const wished = camelCase(parameter, 'param');
    return this.#read(this.#params, parameter, { wished, suffix: 'Param', code });
  }

  /** The code that reads the value at the path of the body. */
  body(path: Path, code: Code): Code {
    const key = pathKey(path);
    const last = path.findLast((step) => step.kind === 'name');
    if (last === undefined || !this.repeated.paths.has(key)) return code;
    return this.#read(this.#paths, key, { wished: camelCase(last.name, 'field'), suffix: 'Field', code });
  }

  /** The code that reads the value at the path of a loop's element. */
  element({ variable, path }: ElementRead, code: Code): Code {
    const key = elementKey(variable.name, path);
    this.#elementUses.set(key, (this.#elementUses.get(key) ?? 0) + 1);
    const last = path.findLast((step) => step.kind === 'name');
    if (last === undefined || !this.repeated.elements.has(key)) return code;
    const constants = this.#elements.get(variable.name) ?? new Map<string, Constant>();
    this.#elements.set(variable.name, constants);
    return this.#read(constants, key, { wished: camelCase(last.name, 'field'), suffix: 'Field', code });
  }

  /** In the order of their first uses. */
  get declarations(): readonly Statement[] {
    return [...this.#params.values(), ...this.#paths.values()].map(declaration);
  }

  /** The declarations of the values of the element that the variable holds. */
  declarationsOf({ name: variable }: Name): readonly Statement[] {
    return [...(this.#elements.get(variable)?.values() ?? [])].map(declaration);
  }

  /** Values that are read more than once: the others need no constant. */
  get repeatedAfterAll(): RepeatedReads {
    const elements = [...this.#elementUses].filter(([, uses]) => uses > 1).map(([key]) => key);
    return { params: keysOf(this.#params), paths: keysOf(this.#paths), elements: new Set(elements) };
  }

  /** Whether every constant is used more than once, and every element's value that is read more than once is one. */
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
