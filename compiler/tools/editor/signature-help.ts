/** The function call that contains a position in an expression, and which of its arguments is being written. */
import { markdown } from '../../notation/markdown-writer.js';
import type { Written } from '../../notation/written.js';
import type { Analysis } from '../../analyze/operations/analysis.js';
import type { Syntax } from '../../read/expression/ast.js';
import { functions, functionsInB } from '../../read/expression/functions.js';
import type { Source } from '../../read/source.js';
import { expressionBefore } from './expression-before.js';
import { functionDocs } from './function-docs.js';
import { pathTargetOf } from './path-target.js';
import { operationAt } from './readable-values.js';
import { yamlPathIn } from './yaml-path.js';

/** One of the forms of a function. */
export interface FunctionSignature {
  /** Such as `VALUE(<name>, <path>)`. */
  readonly label: string;
  /** One sentence. */
  readonly about: Written<'markdown'>;
  /** Ranges of the arguments in the label. */
  readonly parameters: readonly (readonly [start: number, end: number])[];
}

export interface SignatureHelp {
  readonly signatures: readonly [FunctionSignature, ...FunctionSignature[]];
  /** Index of the signature with as many arguments as written so far. */
  readonly active: number;
  /** Index of the argument at the position. */
  readonly parameter: number;
}

/** Undefined outside of function arguments. `source` is a file of the analysis. */
export function signatureAt(
  source: Source,
  offset: number,
  analysis: Analysis | undefined,
): SignatureHelp | undefined {
  const path = yamlPathIn(source, offset);
  const before = expressionBefore(path, pathTargetOf(path.steps));
  if (before === undefined) return undefined;
  const syntax = analysis && operationAt(analysis, source, offset)?.operation.syntax;
  const call = openCalls(before).findLast(({ name }) => formOf(name, syntax) !== undefined);
  const form = call && formOf(call.name, syntax);
  if (call === undefined || form === undefined) return undefined;
  const about = functionDocs.get(call.name.toUpperCase())?.about ?? markdown``;
  const [first, ...others] = form.split(' or ').map((label) => signatureOf(label, about));
  if (first === undefined) return undefined;
  const signatures = [first, ...others] as const;
  const fitting = signatures.findIndex(({ parameters }) => parameters.length > call.argument);
  // Further commas count as part of the last argument, for functions with any number of arguments and for constants with commas.
  const active = fitting === -1 ? signatures.length - 1 : fitting;
  const last = (signatures[active] ?? first).parameters.length - 1;
  return { signatures, active, parameter: Math.max(0, Math.min(call.argument, last)) };
}

/** The form of the function; undefined if the syntax does not support it. */
function formOf(name: string, syntax: Syntax | undefined): string | undefined {
  const known = syntax === 'B' ? functionsInB.get(name) : functions.get(name);
  return (known ?? (syntax === undefined ? functionsInB.get(name) : undefined))?.form;
}

function signatureOf(label: string, about: Written<'markdown'>): FunctionSignature {
  const open = label.indexOf('(') + 1;
  const written = label.slice(open, label.lastIndexOf(')'));
  const parameters: [number, number][] = [];
  let start = open;
  for (const part of written === '' ? [] : written.split(', ')) {
    parameters.push([start, start + part.length]);
    start += part.length + 2;
  }
  return { label, about, parameters };
}

interface OpenCall {
  /** Empty for parentheses that are not a function call. */
  readonly name: string;
  /** Number of commas written so far. */
  argument: number;
}

/** The parentheses open at the end of the text, outermost first. */
function openCalls(before: string): readonly OpenCall[] {
  // An opening quote belongs to the YAML string, not to the expression.
  const text = before.trimStart().replace(/^["']/, '');
  const open: OpenCall[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if ((character === "'" || character === '"') && !/[\p{L}\p{N}]/u.test(text.charAt(at - 1))) {
      const end = text.indexOf(character, at + 1);
      if (end === -1) break;
      at = end;
    } else if (character === '(') open.push({ name: wordBefore(text, at), argument: 0 });
    else if (character === ')') open.pop();
    else if (character === ',') {
      const innermost = open.at(-1);
      if (innermost !== undefined) innermost.argument += 1;
    }
  }
  return open;
}

function wordBefore(text: string, end: number): string {
  let start = end;
  while (start > 0 && /\w/.test(text.charAt(start - 1))) start -= 1;
  return text.slice(start, end);
}
