/** Whether a statement can be sent again after its connection was lost, and whether a failed statement has no effects. */
import type { Dialect } from '../dialect.js';
import { wordSet } from '../../wordset.js';
import type { Call, Item, SqlTree } from '../parse/tree.js';
import { numberFunctions, sideEffectFreeFunctions } from './side-effect-free-functions.js';

const readingVerbs = wordSet('SELECT VALUES TABLE');

/** True for reading statements that certainly do not change data; unknown functions might change data. */
export function isRetryable(tree: SqlTree, dialect: Dialect): boolean {
  return readingVerbs.has(tree.main.verb) && !mayChange(tree, dialect);
}

function mayChange({ items, nodes }: SqlTree, dialect: Dialect): boolean {
  return nodes.some((node) => {
    switch (node.kind) {
      case 'query':
        return !readingVerbs.has(node.verb);
      case 'clause':
        return (
          node.name === 'INTO' || node.name === 'LOCK' || (node.name === 'FOR' && node.modifiers.length > 0)
        );
      case 'call':
        return callMayChange(node, items, dialect);
      case 'operation':
        // `operator(app.+)` is a user-defined function.
        if (/\w\./.test(node.operator) && !/^pg_catalog\./i.test(node.operator)) return true;
        return node.operator === ':=' || node.operator === 'NEXT VALUE FOR';
      // `s.nextval` in MariaDB's Oracle mode.
      case 'name':
        return node.parent?.kind !== 'call' && items[node.last]?.word === 'NEXTVAL' && node.parts.length > 1;
      // SQL that the parser does not understand is judged by its keywords.
      case 'opaque':
        return items.slice(node.first, node.last + 1).some(({ word }) => changingWords.has(word));
      default:
        return false;
    }
  });
}

/** Words that change data, take locks or store a result. */
const changingWords = wordSet('INSERT UPDATE DELETE MERGE INTO CALL LOCK SHARE');

/** Words before a parenthesis that are not function calls: types, conditions, grouping. */
const keywords = wordSet('ANY ALL SOME ROW ROLLUP CUBE SETS INTERVAL FROM AGAINST MATCH VALUES');

/** Whether the called function is unknown, or known to change something. */
export function callMayChange(call: Call, items: readonly Item[], dialect: Dialect): boolean {
  const { name } = call;
  const item = items[name.last];
  if (item === undefined) return true;
  const isOfSystem = name.parts.length === 2 && items[name.first]?.word === 'PG_CATALOG';
  if ((name.parts.length > 1 && !isOfSystem) || item.token.kind === 'quoted-name') return true;
  const isOverload = numberFunctions.has(item.word) && call.arguments[0]?.kind === 'string';
  if (isOverload && dialect === 'postgresql') return true;
  return !(keywords.has(item.word) || sideEffectFreeFunctions[dialect].has(item.word));
}

const atomicVerbs = wordSet('SELECT VALUES TABLE INSERT UPDATE DELETE MERGE REPLACE');
/** Scopes for SET on PostgreSQL that end (and roll back) with the transaction; on MySQL such statements are an error. */
const endingScopes = wordSet('LOCAL TRANSACTION CONSTRAINTS');
/** Functions whose effects on other systems cannot be rolled back: connections to other servers, HTTP requests, files. */
const outside = /^(?:DBLINK\w*|HTTP_\w+|LO_EXPORT|PG_BACKGROUND\w*)$/;

/**
 * True if a failed statement has no effects. Procedures can commit before they fail, and so can every statement that is not listed here.
 */
export function isAtomic({ main, items, nodes }: SqlTree): boolean {
  const isEnding = main.verb === 'SET' && endingScopes.has(items[main.verbItem + 1]?.word ?? '');
  if (!atomicVerbs.has(main.verb) && !isEnding) return false;
  return !nodes.some((node) => node.kind === 'call' && outside.test(items[node.name.last]?.word ?? ''));
}
