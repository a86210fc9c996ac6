/** MySQL user variables (`@a`). They belong to the session, from the statement that sets them until the connection ends. */
import { descendants, type Item, type SqlNode, type SqlTree } from '../parse/tree.js';
import { wordSet } from '../../wordset.js';

/** Statements in which `@` always begins a variable; elsewhere `@` can be part of an account name (`'app'@'%'`). */
const readingVerbs = wordSet('SELECT INSERT UPDATE DELETE REPLACE VALUES TABLE DO CALL LOAD GET');

/** The first use of a variable in a statement: see SessionEffect. */
export interface VariableUse {
  readonly kind: 'reads' | 'leaves' | 'own';
  readonly name: string;
  readonly item: Item;
  readonly last: Item;
}

interface Variable {
  readonly item: Item;
  readonly last: Item;
  readonly name: string;
  readonly isSet: boolean;
  /** True if the variable is set to a value that does not depend on itself. */
  readonly isStart: boolean;
}

/** The variables used by a statement with that verb, or by a part of the statement. */
export function variableUses(tree: SqlTree, verb: string): VariableUse[] {
  const variables = variablesIn(tree, verb);
  const started = new Set(variables.filter(({ isStart }) => isStart).map(({ name }) => name));
  const seen = new Set<string>();
  return variables.flatMap(({ item, last, name, isSet }): VariableUse[] => {
    if (seen.has(name)) return [];
    seen.add(name);
    const all = variables.filter((other) => other.name === name);
    const sets = all.filter((other) => other.isSet).length;
    // `SELECT @row := @row + 1 … (SELECT @row := 0)`: each run resets the variable.
    if (started.has(name) && verb !== 'SET' && (sets < all.length || sets > 1))
      return [{ kind: 'own', name, item, last }];
    return [{ kind: isSet || sets > 0 ? 'leaves' : 'reads', name, item, last }];
  });
}

function variablesIn(tree: SqlTree, verb: string): Variable[] {
  const { items, nodes, main } = tree;
  const isSetting =
    verb === 'SET' && !/^(?:PASSWORD|DEFAULT|ROLE)$/.test(items[main.verbItem + 1]?.word ?? '');
  if (!readingVerbs.has(verb) && !isSetting) return [];
  return nodes.flatMap((node) => {
    const [item, last] = [items[node.first], items[node.first + 1]];
    const name = variableName(node, tree);
    if (name === undefined || item === undefined || last === undefined) return [];
    const value = assignedTo(node);
    const isTarget = node.clause?.name === 'INTO' || verb === 'CALL' || verb === 'LOAD' || verb === 'GET';
    const isStart =
      value !== undefined && !descendants(value).some((one) => variableName(one, tree) === name);
    return [{ item, last, name, isSet: value !== undefined || isTarget, isStart }];
  });
}

/** The name of `@a` in lower case; undefined for server variables and for other nodes. */
function variableName({ kind, first }: SqlNode, { items }: SqlTree): string | undefined {
  const written = items[first + 1];
  if (kind !== 'variable' || written === undefined || written.word === '@') return undefined;
  return `@${written.token.text.replaceAll(/^[`'"]|[`'"]$/g, '').toLowerCase()}`;
}

/** The value assigned to the variable, by `:=` or by SET. */
function assignedTo(node: SqlNode): SqlNode | undefined {
  const { parent } = node;
  if (parent?.kind === 'assignment') return parent.targets.includes(node) ? parent.value : undefined;
  const isAssigned = parent?.kind === 'operation' && parent.operator === ':=' && parent.operands[0] === node;
  return isAssigned ? parent.operands[1] : undefined;
}
