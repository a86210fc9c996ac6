/** The strings of a query or form by parameter name. Lists and objects may be written with brackets: `ids[]=1`, `filter[a][b]=1`. */
import type { Json } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';

/** Strings nested by brackets: all strings of a name, or parts by the name or index in brackets (`''` for `[]`). */
export type Nested = string[] | Map<string, Nested>;

/** A parameter with brackets, or the reason why it is invalid, to be printed after the parameter name. */
export type Bracketed = { readonly nested: Nested } | { readonly problem: string };

export class Texts {
  /** Values by full name, including brackets: a string, or an array of strings if the name is repeated. */
  readonly #byName = new Map<string, string | string[]>();
  /** Undefined if no name contains brackets, which is the usual case. */
  #brackets: Brackets | undefined;

  add(name: string, text: string): void {
    const earlier = this.#byName.get(name);
    if (earlier === undefined) this.#byName.set(name, text);
    else if (Array.isArray(earlier)) earlier.push(text);
    else this.#byName.set(name, [earlier, text]);
  }

  /** Parses names with brackets. Call after the last `add`, if names may contain brackets. */
  findBrackets(): void {
    const names = [...this.#byName.keys()].filter((name) => name.includes('['));
    if (names.length > 0) this.#brackets = { names, read: new Map() };
  }

  /** The value of exactly this name: a string, or an array of strings if the name is repeated. */
  exactly(name: string): string | readonly string[] | undefined {
    return this.#byName.get(name);
  }

  /**
   * The parameter without a declared type: a string, or a list or object of strings. Undefined if missing. Throws a ServiceError 400
   * for invalid brackets.
   */
  get(name: string): Json | undefined {
    const exact = this.#byName.get(name);
    if (this.#brackets === undefined) return exact;
    const { read } = this.#brackets;
    if (read.has(name)) return read.get(name);
    const bracketed = this.bracketed(name);
    const value = bracketed === undefined ? exact : valueOf(name, bracketed);
    read.set(name, value);
    return value;
  }

  /** All parameters by name without brackets, in the order in which they were added. Throws a ServiceError 400 for invalid brackets. */
  all(): Map<string, Json> {
    const found = new Map<string, Json>();
    if (this.#brackets === undefined) {
      for (const [name, value] of this.#byName) found.set(name, value);
      return found;
    }
    const groups = new Map<string, string[]>();
    for (const name of this.#byName.keys()) {
      const start = name.indexOf('[');
      // A name that begins with a bracket is not a part of another parameter.
      const base = start > 0 ? name.slice(0, start) : name;
      const names = groups.get(base) ?? [];
      groups.set(base, names);
      if (start > 0) names.push(name);
    }
    for (const [base, names] of groups) {
      const value = names.length === 0 ? this.#byName.get(base) : valueOf(base, this.#nested(base, names));
      if (value !== undefined) found.set(base, value);
    }
    return found;
  }

  /** The parameter if it uses brackets. `others` are names with brackets that are separate parameters. */
  bracketed(name: string, others?: ReadonlySet<string>): Bracketed | undefined {
    if (this.#brackets === undefined) return undefined;
    const start = `${name}[`;
    const names = this.#brackets.names.filter(
      (other) => other.startsWith(start) && others?.has(other) !== true,
    );
    return names.length === 0 ? undefined : this.#nested(name, names);
  }

  /** The parameter with these names, all of which continue its name with brackets. */
  #nested(name: string, names: readonly string[]): Bracketed {
    if (this.#byName.has(name)) return { problem: inOneWay };
    const root: Branch = new Map();
    for (const other of names) {
      const problem = this.#put(root, other, name.length);
      if (problem !== undefined) return { problem };
    }
    return { nested: root };
  }

  /** Adds the strings of the name to the part addressed by its brackets, which begin at `start`. Returns a problem. */
  #put(root: Branch, name: string, start: number): string | undefined {
    const brackets = name.slice(start);
    if (!wellFormed.test(brackets)) return `must not be written as ${shown(name)}`;
    const keys = brackets.slice(1, -1).split('][');
    if (keys.length > maxDepth) return `has more than ${maxDepth} brackets one inside the other`;
    let branch = root;
    for (const [level, key] of keys.entries()) {
      // In a list without indexes (`a[][b]`), nested values cannot be assigned to elements.
      if (branch.size > 0 && branch.has('') !== (key === '')) return inOneWay;
      if (level === keys.length - 1) break;
      if (key === '') return `must not be written as ${shown(name)}`;
      const next: Nested = branch.get(key) ?? new Map<string, Nested>();
      if (!(next instanceof Map)) return inOneWay;
      branch.set(key, next);
      branch = next;
    }
    const last = keys.at(-1) ?? '';
    if (branch.has(last)) return inOneWay;
    branch.set(last, [this.#byName.get(name) ?? []].flat());
    return undefined;
  }
}

type Branch = Map<string, Nested>;

interface Brackets {
  /** The names with brackets. */
  readonly names: readonly string[];
  /** Values read earlier without a declared type. */
  readonly read: Map<string, Json | undefined>;
}

const wellFormed = /^(?:\[[^[\]]*\])+$/;

/** The maximum depth, the same as for JSON parameters. */
const maxDepth = 64;

const inOneWay = 'must be written in one way: repeated, as a list or as an object';

function shown(name: string): string {
  return `'${name.length > 60 ? `${name.slice(0, 60)}…` : name}'`;
}

function valueOf(name: string, bracketed: Bracketed): Json {
  if ('nested' in bracketed) return jsonOf(bracketed.nested);
  throw new ServiceError(400, `The parameter '${name}' ${bracketed.problem}`);
}

/** The value without a declared type: parts with the indexes 0, 1, 2 … become a list. */
export function jsonOf(nested: Nested): Json {
  if (!(nested instanceof Map)) return nested.length === 1 ? (nested[0] ?? null) : [...nested];
  const elements = elementsOf(nested);
  if (elements !== undefined && (nested.has('') || nested.has(String(elements.length - 1))))
    return elements.map(jsonOf);
  return Object.fromEntries([...nested].map(([key, part]) => [key, jsonOf(part)]));
}

/** The elements of a list in order, ignoring gaps in the indexes; undefined for an object. */
export function elementsOf(nested: Map<string, Nested>): readonly Nested[] | undefined {
  const unnumbered = nested.get('');
  if (Array.isArray(unnumbered)) return unnumbered.map((text) => [text]);
  if (![...nested.keys()].every((key) => /^(?:0|[1-9]\d{0,8})$/.test(key))) return undefined;
  return [...nested].sort(([one], [other]) => Number(one) - Number(other)).map(([, part]) => part);
}
