/** Reports expressions that read a fulfillment which does not exist or is not available yet. */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { editOf } from '../../../read/diagnostics/fix.js';
import { isUnambiguous, nearest } from '../../../read/diagnostics/suggest.js';
import type { Expression, Path } from '../../../read/expression/ast.js';
import { printSteps } from '../../../read/expression/parse/path.js';
import { type Span, spanBeside } from '../../../read/source.js';
import type { AnalyzedOperation } from '../../operations/analyzed-operation.js';
import { type NodeSite, rule } from '../rule.js';
import { unreadable } from '../unreadable.js';
import { quotedList } from '../../../read/diagnostics/quoted-list.js';

/** Reports expressions and joins that name an unknown fulfillment. */
export const unknownFulfillment = rule(
  {
    'unknown-fulfillment': error(
      {
        name: 'text',
        nearest: 'suggestion',
        names: 'text',
        operation: 'text',
        asString: 'text',
        meant: { instead: 'text', what: 'sentence' },
      },
      (p: {
        name: string;
        /** The operation and the name; all such uses share a hint. */
        /** The operation: all uses of the name within it share a diagnostic. */
        within: Span | undefined;
        nearest: string | undefined;
        /** True if the most similar fulfillment is not readable here either. */
        isUnreadable?: boolean;
        names: readonly string[];
        /** The name of the operation, if the expression is from an anchor outside of it. */
        operation?: string | undefined;
        /** The name as a Syntax B string, if that may be intended. */
        asString?: string | undefined;
        /** The intended meaning of a name that is not a fulfillment, with a suggestion. */
        meant?: Pick<Meant, 'instead' | 'what' | 'isGuess'> | undefined;
      }) => ({
        message: `Unknown fulfillment '${p.name}'${p.operation === undefined ? '' : ` in '${p.operation}'`}.`,
        ...(p.meant === undefined ? {} : { yamlInstead: p.meant.instead }),
        hint:
          p.meant !== undefined
            ? `Write ${p.meant.instead} for ${p.meant.what}.`
            : p.nearest !== undefined
              ? `Did you mean '${p.nearest}'?`
              : p.names.length > 0
                ? `Write one of the fulfillments of this operation: ${quotedList(p.names)}.${p.asString === undefined ? '' : ` For a string write ${p.asString}.`}`
                : 'Add a fulfillment with this name: the operation has none.',
        instead: p.nearest,
        isSuggestion:
          p.meant === undefined
            ? p.isUnreadable === true || !isUnambiguous(p.name, p.names)
            : p.meant.isGuess === true,
        subject: p.within && `${p.within.start} ${p.name}`,
      }),
    ),
  },
  ({ report }) => ({
    operation: (operation, { analyzed }) => {
      const names = namesOf(analyzed);
      for (const { fulfillment: name, nameSpan } of analyzed.joins.written.flatMap(({ unknown }) => unknown))
        report('unknown-fulfillment', nameSpan, {
          ...{ name, nearest: nearest(name, names), names },
          within: operation.name.span,
        });
    },
    unreadable: (read, node, site) => {
      if (read.why !== 'unknown') return;
      const { name, span } = read;
      const { operation } = site;
      const names = [...new Set(namesOf(site.analyzed))];
      const meant = meantInstead(node, name, site, names);
      const near = nearest(name, names);
      report('unknown-fulfillment', meant?.isWhole === true ? node.span : spanOfName(node, name, span), {
        ...{ name, nearest: near, names },
        isUnreadable: near !== undefined && cannotRead(node, near, site),
        // An anchor precedes its aliases, so an expression from an anchor precedes the operation.
        operation: span.start < operation.name.span.start ? operation.name.value : undefined,
        asString: operation.syntax === 'B' && node.kind === 'result' ? `"'${name}'"` : undefined,
        meant,
        within: meant === undefined ? operation.name.span : undefined,
      });
    },
  }),
);

function namesOf({ fulfillments }: AnalyzedOperation): string[] {
  return fulfillments.map(({ fulfillment }) => fulfillment.name.value);
}

/** Whether the node could not read another fulfillment with that name either. */
function cannotRead(node: Expression, name: string, { analyzed, scope }: NodeSite): boolean {
  return 'name' in node && unreadable({ ...node, name }, analyzed, scope) !== undefined;
}

const wholeRequest = new Set(['BODY', 'PARAM']);

/** The span of the name; the whole expression if all of it must be rewritten. */
function spanOfName(node: Expression, name: string, nameSpan: Span): Span {
  if (node.kind === 'value' && wholeRequest.has(name)) return node.span;
  const { scalar } = node.span;
  const isQuoted = node.kind === 'result' && scalar !== undefined && scalar.style !== 'plain';
  return isQuoted && scalar.end - scalar.start <= name.length + 2
    ? spanBeside(node.span, scalar.start, scalar.end, scalar)
    : nameSpan;
}

interface Meant {
  readonly instead: string;
  readonly what: string;
  /** True if the suggestion replaces the whole expression, not just the name. */
  readonly isWhole?: boolean;
  /** True if the name may mean something else. */
  readonly isGuess?: boolean;
}

/** Names of the current element in other languages. */
const elementNames = /^(?:item|this|it|self|element|row|entry|each|current)$/i;

/** Guesses what was meant by a name that refers to the request, or that should be a string. */
function meantInstead(
  node: Expression,
  name: string,
  { operation: { syntax, endpoint }, scope }: NodeSite,
  names: readonly string[],
): Meant | undefined {
  if (nearest(name, names) !== undefined) return undefined;
  if (scope.hasElement && node.kind === 'value' && elementNames.test(name))
    return { instead: '@', what: 'the current element' };
  if (syntax === 'A') {
    if (node.kind !== 'value' || !wholeRequest.has(name)) return undefined;
    const [first, ...rest] = node.path;
    if (name === 'BODY')
      return { instead: `BODY($${printSteps(node.path)})`, what: 'the body of the request' };
    if (first?.kind !== 'name' || rest.length > 0) return undefined;
    return { instead: `PARAM(${first.name})`, what: 'a parameter of the request' };
  }
  if (node.kind === 'value' && /^(?:params?|parameters?|query|path|headers?|args?)$/i.test(name))
    return { instead: 'param', what: 'a parameter of the request' };
  if (node.kind === 'value' && /^(?:request|req|payload|json)$/i.test(name)) return ofRequest(node.path);
  if (node.kind === 'result' && /^(?:undefined|nil|None)$/.test(name))
    return { instead: 'null', what: 'a value that is missing' };
  if (node.kind === 'result' && endpoint?.parameters.includes(name) === true)
    return {
      instead: `param.${name}`,
      what: `the parameter of the path, or <fulfillment>.${name} for a column`,
      isGuess: true,
    };
  const { scalar, start, end } = node.span;
  const isQuoted = scalar !== undefined && scalar.style !== 'plain';
  if (node.kind !== 'result' || !isQuoted || scalar.start + 1 < start || scalar.end > end + 1)
    return undefined;
  const whole = spanBeside(node.span, scalar.start, scalar.end, scalar);
  return {
    instead: editOf(whole, `'${name}'`)?.text ?? `'${name}'`,
    what: 'a string: YAML removes the outer quotes',
    isGuess: true,
  };
}

/** The meaning of `request.query.id` and `req.body.title`. */
function ofRequest([first, ...rest]: Path): Meant {
  const part = first?.kind === 'name' ? first.name : '';
  if (/^(?:query|params?|path|headers?)$/i.test(part) && rest[0]?.kind === 'name')
    return { instead: `param${printSteps(rest)}`, what: 'a parameter of the request', isWhole: true };
  const path = part === 'body' || first === undefined ? rest : [first, ...rest];
  return { instead: `body${printSteps(path)}`, what: 'the body of the request', isWhole: true };
}

/** Reports expressions that read a fulfillment before it runs. */
export const notYetRun = rule(
  {
    'not-yet-run': error(
      { name: 'text', reader: 'text' },
      (p: { name: string; runs: Span; reader: string | undefined; isBeforeAll: boolean }) => ({
        message: `Fulfillment '${p.name}' has not run yet here.`,
        hint: p.isBeforeAll
          ? `The exceptions of an operation are checked before its fulfillments. Write this one below '${p.name}'.`
          : p.reader === undefined
            ? `Move '${p.name}' before the first expression that reads it.`
            : `Move '${p.name}' before '${p.reader}', which reads it.`,
        related: [{ span: p.runs, message: 'it runs here' }],
      }),
    ),
  },
  ({ report }) => ({
    unreadable: (read) => {
      if (read.why === 'not yet run') report('not-yet-run', read.span, read);
    },
  }),
);

/** Reports fulfillments that read their own result. */
export const ownResult = rule(
  {
    'own-result': error({ name: 'text' }, (p: { name: string }) => ({
      message: `Fulfillment '${p.name}' reads its own result before it has run.`,
      hint: 'Read a parameter or the result of an earlier fulfillment here; or read this result in its exceptions, in a later fulfillment or in a response.',
    })),
  },
  ({ report }) => ({
    unreadable: (read) => {
      if (read.why === 'own result') report('own-result', read.span, { name: read.name });
    },
  }),
);
