/** Filters that a user function returns: trees of conditions with the configured names and operators. */
import type { Json, JsonObject } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import type { Condition, FilterTree } from './filter-sql.js';
import { maxNodes, type FilterColumn, type FilterOperator } from './filter-types.js';

export interface TreeDefinition {
  /** The name of the user function, for the log. */
  readonly function: string;
  readonly allow: ReadonlyMap<string, FilterColumn>;
  /** Throws a ServiceError 400 for a value that does not fit the column. */
  readonly condition: (
    name: string,
    filtered: FilterColumn,
    operator: FilterOperator,
    value: Json,
  ) => Condition;
}

/**
 * The tree that the function returned, as conditions that a row must meet; empty for null. Throws a ServiceError: 400 for a value that does
 * not fit its column, 500 for a result of any other form.
 */
export function readTree(result: Json, definition: TreeDefinition): readonly FilterTree[] {
  if (result === null) return [];
  const tree = new TreeReader(definition).node(result, '');
  return 'and' in tree ? tree.and : [tree];
}

class TreeReader {
  // Each level is a node, so the number of nodes is also a limit of the depth.
  #nodes = 0;

  constructor(private readonly definition: TreeDefinition) {}

  /** `pointer` is the JSON pointer of the node in the result. */
  node(node: Json, pointer: string): FilterTree {
    this.#nodes += 1;
    if (this.#nodes > maxNodes) throw this.#wrong(pointer, `has more than ${maxNodes} nodes`);
    if (typeof node !== 'object' || node === null || Array.isArray(node))
      throw this.#wrong(pointer, expectedNode);
    const [key, ...others] = Object.keys(node);
    if (others.length > 0) return this.#condition(node, pointer);
    if (key === 'not') return { not: this.node(node[key] ?? null, `${pointer}/not`) };
    if (key !== 'and' && key !== 'or') throw this.#wrong(pointer, expectedNode);
    const parts = node[key];
    if (!Array.isArray(parts)) throw this.#wrong(`${pointer}/${key}`, 'is not a list');
    const read = parts.map((part, index) => this.node(part, `${pointer}/${key}/${index}`));
    return key === 'and' ? { and: read } : { or: read };
  }

  #condition(node: JsonObject, pointer: string): Condition {
    const { name, operator, value } = node;
    const isKnown = Object.keys(node).every((key) => fieldsOfCondition.has(key));
    if (!isKnown || typeof name !== 'string' || value === undefined) throw this.#wrong(pointer, expectedNode);
    const filtered = this.definition.allow.get(name);
    if (filtered === undefined) throw this.#wrong(`${pointer}/name`, "is not a name of 'allow'");
    const { operators, plain } = filtered;
    const usual = plain === true ? operators[0] : 'eq';
    const wanted = operator === undefined ? usual : operator;
    const chosen = operators.find((one) => one === wanted);
    if (chosen === undefined)
      throw this.#wrong(`${pointer}/operator`, `is not one of ${operators.join(', ')}`);
    return this.definition.condition(name, filtered, chosen, value);
  }

  /** The log contains no values of the result, which can be data of the request. */
  #wrong(pointer: string, reason: string): ServiceError {
    const log = { function: this.definition.function, pointer, reason: `the result ${reason}` };
    return new ServiceError(500, 'Internal server error', { log });
  }
}

const fieldsOfCondition: ReadonlySet<string> = new Set(['name', 'operator', 'value']);

const expectedNode = 'is not {and: […]}, {or: […]}, {not: …} or {name, operator, value}';
