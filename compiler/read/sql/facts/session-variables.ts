/** The variables of MySQL (`@a`): they belong to the session, from the statement that sets them to the end of the connection. */
import type { OutlineToken } from '../parse/outline.js';
import { wordSet } from '../lexer/word-set.js';

/** Statements in which `@` stands for nothing else; elsewhere it is a part of an account (`'app'@'%'`). */
const readingVerbs = wordSet('SELECT INSERT UPDATE DELETE REPLACE VALUES TABLE DO CALL LOAD GET');

/** A variable of the session, where it is first written: see SessionEffect. */
export interface VariableUse {
  readonly kind: 'reads' | 'leaves' | 'own';
  readonly name: string;
  readonly item: OutlineToken;
  readonly last: OutlineToken;
}

interface Variable {
  readonly item: OutlineToken;
  readonly last: OutlineToken;
  readonly name: string;
  readonly isSet: boolean;
  /** It is set to something that does not read it. */
  readonly isStart: boolean;
}

/** All of a statement. */
export function variableUses(items: readonly OutlineToken[], verb: OutlineToken): VariableUse[] {
  const variables = variablesIn(items, verb);
  const started = new Set(variables.filter(({ isStart }) => isStart).map(({ name }) => name));
  const seen = new Set<string>();
  return variables.flatMap(({ item, last, name, isSet }): VariableUse[] => {
    if (seen.has(name)) return [];
    seen.add(name);
    const isRead = variables.some((other) => other.name === name && !other.isSet);
    // `SELECT @row := @row + 1 … (SELECT @row := 0)`: it begins anew in each run.
    if (started.has(name) && verb.word !== 'SET' && (isRead || countSets(variables, name) > 1))
      return [{ kind: 'own', name, item, last }];
    const isLeft = isSet || variables.some((other) => other.name === name && other.isSet);
    return [{ kind: isLeft ? 'leaves' : 'reads', name, item, last }];
  });
}

function countSets(variables: readonly Variable[], name: string): number {
  return variables.filter((variable) => variable.name === name && variable.isSet).length;
}

function variablesIn(items: readonly OutlineToken[], verb: OutlineToken): Variable[] {
  const next = items[items.indexOf(verb) + 1]?.word ?? '';
  const isSetting = verb.word === 'SET' && !/^(?:PASSWORD|DEFAULT|ROLE)$/.test(next);
  if (!readingVerbs.has(verb.word) && !isSetting) return [];
  return items.flatMap((item, index) => {
    const isSystem = items[index - 1]?.word === '@' || items[index + 1]?.word === '@';
    const last = items[index + 1];
    if (item.word !== '@' || isSystem || last === undefined) return [];
    const name = `@${last.token.text.replaceAll(/^[`'"]|[`'"]$/g, '').toLowerCase()}`;
    const assignment = items[index + 2]?.word;
    const isAssigned =
      assignment === ':=' || (isSetting && assignment === '=' && isFirst(items, index, verb));
    const isTarget =
      item.clause === 'INTO' || verb.word === 'CALL' || verb.word === 'LOAD' || verb.word === 'GET';
    const isStart = isAssigned && !readsItself(items, index, last.token.text);
    return [{ item, last, name, isSet: isAssigned || isTarget, isStart }];
  });
}

/** Whether it begins an assignment of a SET. */
function isFirst(items: readonly OutlineToken[], index: number, verb: OutlineToken): boolean {
  const before = items[index - 1];
  return before === verb || (before?.word === ',' && before.parent === verb.parent);
}

/** Whether what is assigned at `index` reads the variable. */
function readsItself(items: readonly OutlineToken[], index: number, name: string): boolean {
  const { parent } = items[index] ?? { parent: -1 };
  for (let at = index + 3; at < items.length; at += 1) {
    const item = items[at];
    if (item === undefined || item.parent < parent) break;
    if (item.parent === parent && (item.word === ',' || item.word === ')' || item.word === 'FROM')) break;
    if (item.word === '@' && items[at + 1]?.token.text.toLowerCase() === name.toLowerCase()) return true;
  }
  return false;
}
