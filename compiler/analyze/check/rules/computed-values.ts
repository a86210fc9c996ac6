/** Checks COMPUTE, and the functions that only stand in its `schema`. */
import type { Operation, Schema } from '../../../read/config/config-model.js';
import { allFulfillments, leavesOf, withCalled } from '../../../read/config/walk.js';
import { error, meantOr, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { words } from '../../../read/diagnostics/marks.js';
import { quotedList } from '../../../read/diagnostics/quoted-list.js';
import { nearest } from '../../../read/diagnostics/suggest.js';
import type { Expression, Syntax } from '../../../read/expression/ast.js';
import { inexpressible, printExpression } from '../../../read/expression/print-expression.js';
import { nodesIn, parts, readsRequest } from '../../../read/expression/visit.js';
import { isNeverText, typeOf } from '../../types/infer.js';
import type { Analysis } from '../../operations/analysis.js';
import { rule } from '../rule.js';

/** Functions that differ at each evaluation or take long, with their names. */
const onceNames = { random: 'RANDOM', hash: 'HASH', verify: 'VERIFY', token: 'TOKEN' } as const;

type OnceKind = keyof typeof onceNames;
type Once = Extract<Expression, { readonly kind: OnceKind }>;

function isOnce(node: Expression): node is Once {
  return Object.hasOwn(onceNames, node.kind);
}

function nameIn(syntax: Syntax, { kind }: Once): string {
  return syntax === 'A' ? onceNames[kind] : kind;
}

/** RANDOM, HASH, VERIFY and TOKEN outside of a COMPUTE, and where a COMPUTE could evaluate them never or several times. */
export const onlyInCompute = rule(
  {
    'only-in-compute': error(
      { name: 'word', instead: 'rewriting', read: 'word' },
      (p: { name: string; instead: string; read: string }) => ({
        message: `${p.name} is only valid in the 'schema' of a COMPUTE, where it is evaluated once.`,
        hint: `Add a COMPUTE named 'made' before it, whose schema has ${p.instead} as the field 'value', and read ${p.read} here.`,
      }),
    ),
    'computed-once': error(
      { name: 'word', loop: 'text', operation: 'text', where: words('loop', 'called', 'item', 'branch') },
      (p: OnceProblem & { name: string }) => ({
        message: `${p.name} is evaluated exactly once, so it is not allowed ${places[p.where](p)}.`,
        hint: hints[p.where],
      }),
    ),
  },
  ({ analysis, report }) => {
    let valid: ReadonlyMap<Expression, OnceProblem | undefined> = new Map();
    const looped = loopedOperations(analysis);
    return {
      operation: (operation) => {
        valid = onceNodes(operation, looped.get(operation));
      },
      node: (node, { operation: { syntax } }) => {
        if (!isOnce(node)) return;
        const name = nameIn(syntax, node);
        const problem = valid.get(node);
        if (problem !== undefined) report('computed-once', node.span, { ...problem, name });
        else if (!valid.has(node))
          report('only-in-compute', node.span, {
            ...{ name, instead: printExpression(node, syntax) },
            read: syntax === 'A' ? 'VALUE(made, $.value)' : 'made.value',
          });
      },
    };
  },
);

interface OnceProblem {
  readonly where: 'loop' | 'called' | 'item' | 'branch';
  /** The name of the LOOP; empty without one. */
  readonly loop: string;
  /** The operation of the LOOP, where it is another one. */
  readonly operation: string;
}

const places: Readonly<Record<OnceProblem['where'], (problem: OnceProblem) => string>> = {
  loop: ({ loop }) => `inside the LOOP '${loop}'`,
  called: ({ loop, operation }) => `in an operation that the LOOP '${loop}' of '${operation}' calls`,
  item: () => "inside an 'item'",
  branch: () => 'where another value decides whether it is evaluated',
};

const hints: Readonly<Record<OnceProblem['where'], string>> = {
  loop: 'Move the COMPUTE before the LOOP.',
  called: 'Call the operation outside of the LOOP.',
  item: "Write it as a field of the 'schema' outside of the list.",
  branch: "Write it as a separate field, and read that field in another COMPUTE or in an 'if'.",
};

/** The functions in the COMPUTEs of an operation: undefined where they are evaluated exactly once, otherwise why they are not. */
function onceNodes(
  { fulfillments }: Operation,
  called: OnceProblem | undefined,
): ReadonlyMap<Expression, OnceProblem | undefined> {
  const found = new Map<Expression, OnceProblem | undefined>();
  for (const { fulfillment, loop } of allFulfillments(fulfillments)) {
    if (fulfillment.type !== 'COMPUTE') continue;
    const around: OnceProblem | undefined =
      loop === undefined ? called : { where: 'loop', loop: loop.name.value, operation: '' };
    onceInSchema(fulfillment.schema, around, found);
  }
  return found;
}

function onceInSchema(
  schema: Schema | undefined,
  problem: OnceProblem | undefined,
  found: Map<Expression, OnceProblem | undefined>,
): void {
  switch (schema?.kind) {
    case 'leaf':
      onceInExpression(schema.value, problem, found);
      break;
    case 'object':
      for (const { value } of schema.fields) onceInSchema(value, problem, found);
      break;
    case 'array':
      onceInExpression(schema.list, problem, found);
      onceInSchema(schema.item, problem ?? { where: 'item', loop: '', operation: '' }, found);
      break;
    case undefined:
      break;
  }
}

function onceInExpression(
  node: Expression,
  problem: OnceProblem | undefined,
  found: Map<Expression, OnceProblem | undefined>,
): void {
  if (isOnce(node)) found.set(node, problem);
  for (const [index, part] of parts(node).entries()) {
    const isBranch = index > 0 && (node.kind === 'logical' || node.kind === 'coalesce');
    onceInExpression(
      part,
      problem ?? (isBranch ? { where: 'branch', loop: '', operation: '' } : undefined),
      found,
    );
  }
}

/** Operations that a LOOP calls, directly or indirectly, with that LOOP. */
function loopedOperations({ operations, config }: Analysis): ReadonlyMap<Operation, OnceProblem> {
  const found = new Map<Operation, OnceProblem>();
  const byName = new Map(config.operations.map((operation) => [operation.name.value, operation]));
  for (const { operation, fulfillments } of operations) {
    for (const { fulfillment, loop } of fulfillments) {
      if (loop === undefined || fulfillment.type !== 'REFERENCE') continue;
      const called = byName.get(fulfillment.operationName.value);
      if (called === undefined) continue;
      const problem: OnceProblem = {
        where: 'called',
        loop: loop.name.value,
        operation: operation.name.value,
      };
      for (const one of withCalled([called], byName)) if (!found.has(one)) found.set(one, problem);
    }
  }
  return found;
}

/** Tokens that their authentication does not issue, or whose claims are not known to be the service's. */
export const tokenAuthentication = rule(
  {
    'token-authentication': error(
      { name: 'text', problem: words('unknown', 'type', 'issue'), nearest: 'suggestion' },
      (p: { name: string; problem: 'unknown' | 'type' | 'issue'; nearest: string | undefined }) => ({
        message: tokenProblems[p.problem](p.name),
        ...(p.problem === 'unknown'
          ? {
              ...meantOr(p.nearest, 'Add it to authentications, with type: jwt and issue.'),
              isSuggestion: true,
            }
          : {
              hint: 'Write for example issue: { lifetime: 15m, claims: [role] } in an authentication of type jwt.',
            }),
      }),
    ),
    'token-lifetime': error(
      { name: 'text', names: 'text' },
      (p: { name: string; names: readonly string[] }) => ({
        message:
          p.names.length === 0
            ? `Authentication '${p.name}' has a single lifetime, without a name.`
            : `Authentication '${p.name}' has several lifetimes, and TOKEN has to name one of them.`,
        hint:
          p.names.length === 0
            ? 'Remove the third argument.'
            : `Write one of them as the third argument: ${quotedList(p.names)}.`,
      }),
    ),
    'token-of-request': error(() => ({
      message: 'The claims of a token come from the request, so the caller chooses who it is.',
      hint: 'Read them from a database, or build them of its values in a COMPUTE.',
    })),
    'token-without-sub': error({ read: words('object', 'sub') }, (p: { read: 'object' | 'sub' }) => ({
      message:
        p.read === 'object'
          ? 'The claims of a token are an object, and this value never is one.'
          : "These claims have no field 'sub', so the token would not identify anybody.",
      hint: "Pass one row or a computed object with the field 'sub', such as SELECT id AS sub, role FROM account.",
    })),
  },
  ({ analysis, report }) => ({
    token: (node, { operation }) => {
      const { authentication: name, authenticationSpan, of, lifetime } = node;
      const { authentications } = analysis.config;
      const found = authentications.find((one) => one.name.value === name);
      const names = authentications.map((one) => one.name.value);
      const problem =
        found === undefined ? 'unknown' : found.type === 'jwt' ? ('issue' as const) : ('type' as const);
      const issue = found?.type === 'jwt' ? found.issue : undefined;
      // An unreadable type or issue has been reported.
      const isUnread = found !== undefined && (found.type === undefined || found.fields.has('issue'));
      if (issue === undefined && !isUnread)
        report('token-authentication', authenticationSpan, {
          ...{ name, problem, nearest: nearest(name, new Set(names)) },
        });
      const lifetimes = issue?.lifetimes.flatMap((one) => one.name ?? []) ?? [];
      const isKnown =
        lifetimes.length === 0 ? lifetime === undefined : lifetimes.includes(lifetime?.value ?? '');
      if (issue !== undefined && !isKnown)
        report('token-lifetime', lifetime?.span ?? authenticationSpan, { name, names: lifetimes });
      if (comesFromRequest(of, operation)) report('token-of-request', of.span);
    },
    operation: (_, { analyzed }) => {
      for (const { expression, environment } of analyzed.flow.evaluations)
        for (const node of nodesIn(expression)) {
          if (node.kind !== 'token') continue;
          const { kinds, fields } = typeOf(node.of, environment);
          const isRead = !kinds.has('object') ? 'object' : 'sub';
          const hasSub = fields?.names.includes('sub') !== false || !fields.isClosed;
          if (isRead === 'object' || !hasSub) report('token-without-sub', node.of.span, { read: isRead });
        }
    },
  }),
);

const tokenProblems = {
  unknown: (name: string) => `There is no authentication '${name}'.`,
  type: (name: string) => `Authentication '${name}' has no tokens: only type jwt has them.`,
  issue: (name: string) => `Authentication '${name}' issues no tokens.`,
} as const;

/** Hashes that the caller chooses. */
export const hashOfRequest = rule(
  {
    'hash-of-request': error({ name: 'word' }, (p: { name: string }) => ({
      message: `The hash of ${p.name} comes from the request, so the caller chooses what is compared.`,
      hint: 'Read the hash from a database.',
    })),
  },
  ({ report }) => ({
    verify: ({ hash }, { operation }) => {
      if (comesFromRequest(hash, operation))
        report('hash-of-request', hash.span, { name: operation.syntax === 'A' ? 'VERIFY' : 'verify' });
    },
    outdated: ({ of }, { operation }) => {
      if (comesFromRequest(of, operation))
        report('hash-of-request', of.span, { name: operation.syntax === 'A' ? 'OUTDATED' : 'outdated' });
    },
  }),
);

/** Whether a part of the expression is a value of the request, also through a COMPUTE, a LOOP or an `item`. */
function comesFromRequest(
  expression: Expression,
  operation: Operation,
  seen: ReadonlySet<Expression> = new Set(),
): boolean {
  if (seen.has(expression)) return false;
  const inside = new Set([...seen, expression]);
  const follow = (one: Expression): boolean => comesFromRequest(one, operation, inside);
  return (
    readsRequest(expression) ||
    nodesIn(expression).some((node) => {
      if (node.kind === 'multipart-file') return true;
      const isElement = node.kind === 'element';
      if (!isElement && node.kind !== 'value' && node.kind !== 'result' && node.kind !== 'value-by-index')
        return false;
      return allFulfillments(operation.fulfillments).some(({ fulfillment }) => {
        if (!isElement && fulfillment.name.value !== node.name) return false;
        if (fulfillment.type === 'LOOP') return fulfillment.loop !== undefined && follow(fulfillment.loop);
        const isComputed = !isElement && fulfillment.type === 'COMPUTE' && fulfillment.schema !== undefined;
        return isComputed && leavesOf(fulfillment.schema).some(follow);
      });
    })
  );
}

/** LENGTH of a value that is never a string. */
export const lengthOfList = rule(
  {
    'length-of-list': warning({ instead: 'rewriting' }, (p: { instead: string }) => ({
      message: 'LENGTH counts the characters of a string: of a list or an object it is null.',
      hint: `Write ${p.instead} for the number of elements or fields.`,
      instead: p.instead,
    })),
  },
  ({ report }) => ({
    operation: ({ syntax }, { analyzed }) => {
      for (const { expression, environment } of analyzed.flow.evaluations)
        for (const node of nodesIn(expression)) {
          if (node.kind !== 'length' || !isNeverText(node.of, environment)) continue;
          const size: Expression = { kind: 'size', of: node.of, span: node.span };
          if (inexpressible(size, syntax) !== undefined) continue;
          report('length-of-list', node.span, { instead: printExpression(size, syntax) });
        }
    },
  }),
);

/** A COMPUTE whose value is never read. */
export const unreadCompute = rule(
  {
    'unread-compute': warning({ name: 'text', read: 'text' }, (p: { name: string; read: string }) => ({
      message: `Nothing reads the computed value '${p.name}', so it is not evaluated.`,
      hint: `Read it with ${p.read}, or remove the fulfillment.`,
    })),
  },
  ({ report, hasErrors }) => {
    const found: (() => void)[] = [];
    let read = new Set<string>();
    return {
      operation: () => {
        read = new Set();
      },
      node: (node) => {
        if ('nameSpan' in node) read.add(node.name);
      },
      operationEnd: ({ syntax }, { analyzed }) => {
        for (const { fulfillment } of analyzed.fulfillments) {
          if (fulfillment.type !== 'COMPUTE' || read.has(fulfillment.name.value)) continue;
          const { value: name, span } = fulfillment.name;
          found.push(() => {
            report('unread-compute', span, { name, read: syntax === 'A' ? `VALUE(${name}, $)` : name });
          });
        }
      },
      end: () => {
        // An unreadable expression may read the value.
        if (!hasErrors()) for (const reportIt of found) reportIt();
      },
    };
  },
);

/** HASH and VERIFY while a transaction holds a connection. */
export const hashInTransaction = rule(
  {
    'hash-in-transaction': warning(
      { name: 'word', before: 'text', needed: 'text' },
      (p: { name: string; before: string; needed: string | undefined }) => ({
        message: `${p.name} takes long, and the transaction holds its connection and locks since '${p.before}'.`,
        hint:
          p.needed === undefined
            ? `Compute it before '${p.before}', unless the statement decides whether a caller may have it computed.`
            : `It needs '${p.needed}': move the changes after it to an operation with 'transaction: true', call that by a reference, and remove 'transaction: true' here.`,
      }),
    ),
  },
  ({ analysis, report }) => ({
    operation: (operation, { analyzed }) => {
      if (!analysis.insideTransactions.has(operation)) return;
      let before: string | undefined;
      /** Fulfillments with results of statements of the transaction, and the name of a statement whose result they need. */
      const needs = new Map<string, string>();
      const neededBy = (nodes: readonly Expression[]): string | undefined =>
        nodes.map((node) => ('name' in node ? needs.get(node.name) : undefined)).find(Boolean);
      for (const { fulfillment } of analyzed.fulfillments) {
        const name = fulfillment.name.value;
        const isStatement =
          'datasource' in fulfillment && analysis.datasource(fulfillment.datasource.value)?.type === 'db';
        if (isStatement) {
          before ??= name;
          needs.set(name, name);
        }
        if (fulfillment.type !== 'COMPUTE' || fulfillment.schema === undefined || before === undefined)
          continue;
        const leaves = leavesOf(fulfillment.schema).map((leaf) => nodesIn(leaf));
        const ofCompute = neededBy(leaves.flat());
        if (ofCompute !== undefined) needs.set(name, ofCompute);
        for (const node of leaves.flat())
          if (node.kind === 'hash' || node.kind === 'verify')
            report('hash-in-transaction', node.span, {
              ...{ name: nameIn(operation.syntax, node), before, needed: neededBy(nodesIn(node)) },
            });
      }
    },
  }),
);
