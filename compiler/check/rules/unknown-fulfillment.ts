/** Expressions and joins that name a fulfillment which the operation does not have. */
import type { AnalyzedOperation } from '../../analyze/analyzed-operation.js';
import type { Operation } from '../../config/config-model.js';
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import { editOf } from '../../diagnostics/fix.js';
import { isSure, nearest } from '../../diagnostics/suggest.js';
import type { Expression } from '../../expression/ast.js';
import { printSteps } from '../../expression/path.js';
import { placeBeside, type Place } from '../../source.js';
import { rule, type NodeSite } from '../rule.js';
import { unreadable } from '../unreadable.js';

export const unknownFulfillment = rule(
  {
    'unknown-fulfillment': error(
      (p: {
        name: string;
        /** Its operation with its name, where all uses have the same hint. */
        /** The operation, where all uses of the name in it are told together. */
        within: Place | undefined;
        nearest: string | undefined;
        /** Whether the nearest one could not be read here either. */
        isUnreadable?: boolean;
        names: readonly string[];
        /** The name of the operation, where the expression comes from an anchor outside of it. */
        operation?: string | undefined;
        /** The name as a string of Syntax B, where it may be meant as one. */
        asString?: string | undefined;
        /** What was meant by a name that is of no fulfillment, with what it stands for. */
        meant?: { readonly instead: string; readonly what: string } | undefined;
      }) => ({
        message: `Unknown fulfillment '${p.name}'${p.operation === undefined ? '' : ` in '${p.operation}'`}.`,
        ...(p.meant === undefined ? {} : { yamlInstead: p.meant.instead }),
        hint:
          p.meant !== undefined
            ? `Write ${p.meant.instead} for ${p.meant.what}.`
            : p.nearest !== undefined
              ? `Did you mean '${p.nearest}'?`
              : p.names.length > 0
                ? `Its fulfillments are ${p.names.map((name) => `'${name}'`).join(', ')}.${p.asString === undefined ? '' : ` For a string write ${p.asString}.`}`
                : undefined,
        instead: p.nearest,
        isSuggestion: p.meant !== undefined || p.isUnreadable === true || !isSure(p.name, p.names),
        subject: p.within && `${p.within.start} ${p.name}`,
      }),
    ),
  },
  ({ report }) => ({
    operation: (operation, { analyzed }) => {
      const names = namesOf(analyzed);
      for (const { fulfillment: name, namePlace } of analyzed.joins.written.flatMap(({ unknown }) => unknown))
        report('unknown-fulfillment', namePlace, {
          ...{ name, nearest: nearest(name, names), names },
          within: operation.name.place,
        });
    },
    unreadable: (read, node, site) => {
      if (read.why !== 'unknown') return;
      const { name, place } = read;
      const { operation } = site;
      const names = [...new Set(namesOf(site.analyzed))];
      const meant = meantInstead(node, name, operation, names);
      const near = nearest(name, names);
      report('unknown-fulfillment', placeOfName(node, name, place), {
        ...{ name, nearest: near, names },
        isUnreadable: near !== undefined && cannotRead(node, near, site),
        // An anchor stands before its aliases, so what comes from one stands before the operation.
        operation: place.start < operation.name.place.start ? operation.name.value : undefined,
        asString: operation.syntax === 'B' && node.kind === 'result' ? `"'${name}'"` : undefined,
        meant,
        within: meant === undefined ? operation.name.place : undefined,
      });
    },
  }),
);

function namesOf({ fulfillments }: AnalyzedOperation): string[] {
  return fulfillments.map(({ fulfillment }) => fulfillment.name.value);
}

/** Whether the node, with the name of another fulfillment in it, could read that one neither. */
function cannotRead(node: Expression, name: string, { analyzed, scope }: NodeSite): boolean {
  return 'name' in node && unreadable({ ...node, name }, analyzed, scope) !== undefined;
}

const wholeRequest = new Set(['BODY', 'PARAM']);

/** Where more than the name is to be written anew, all of it. */
function placeOfName(node: Expression, name: string, namePlace: Place): Place {
  if (node.kind === 'value' && wholeRequest.has(name)) return node.place;
  const { scalar } = node.place;
  const isQuoted = node.kind === 'result' && scalar !== undefined && scalar.style !== 'plain';
  return isQuoted && scalar.end - scalar.start <= name.length + 2
    ? placeBeside(node.place, scalar.start, scalar.end, scalar)
    : namePlace;
}

/** What somebody means who reads the request, or writes a text, as if it were a fulfillment. */
function meantInstead(
  node: Expression,
  name: string,
  { syntax }: Operation,
  names: readonly string[],
): { instead: string; what: string } | undefined {
  if (nearest(name, names) !== undefined) return undefined;
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
  if (node.kind === 'value' && /^(?:request|req|payload|json)$/i.test(name))
    return { instead: 'body', what: 'the body of the request' };
  const { scalar, start, end } = node.place;
  const isQuoted = scalar !== undefined && scalar.style !== 'plain';
  if (node.kind !== 'result' || !isQuoted || scalar.start + 1 < start || scalar.end > end + 1)
    return undefined;
  const whole = placeBeside(node.place, scalar.start, scalar.end, scalar);
  return {
    instead: editOf(whole, `'${name}'`)?.text ?? `'${name}'`,
    what: 'a string: YAML removes the outer quotes',
  };
}
