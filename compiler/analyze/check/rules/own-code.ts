/** Checks user code: names of functions and their types, in fulfillments and in expressions. */
import type { CodeFulfillment, CodeType } from '../../../read/config/config-model.js';
import { allFulfillments } from '../../../read/config/walk.js';
import {
  error,
  firstDefinedAt,
  meantOr,
  warning,
} from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Expression } from '../../../read/expression/ast.js';
import { nearest } from '../../../read/diagnostics/suggest.js';
import { counted } from '../../../read/diagnostics/quoted-list.js';
import { isFile, nodesIn } from '../../../read/expression/visit.js';
import type { Span, WithSpan } from '../../../read/source.js';
import type { AnalyzedOperation } from '../../operations/analyzed-operation.js';
import type { Analysis } from '../../operations/analysis.js';
import { describedType } from '../../types/described-type.js';
import { typeOf } from '../../types/infer.js';
import { allKinds, type Kind, type ValueType } from '../../types/value-type.js';
import { functionProblem } from '../function-name.js';
import { rule, ruleOfWhole } from '../rule.js';
import { words } from '../../../read/diagnostics/marks.js';

/** Reports invalid function names, which must be valid names of exports and files. */
export const functionName = ruleOfWhole(
  {
    'function-name': error(
      { name: 'text', problem: words('file', 'characters', 'reserved') },
      (p: { name: string; problem: 'characters' | 'reserved' | 'file' }) => ({
        message: nameProblems[p.problem](p.name),
        hint: "Write another name, such as 'priceOf': letters, digits and '_', beginning with a letter.",
      }),
    ),
  },
  ({ analysis, report }) => {
    const check = ({ value: name, span }: WithSpan<string>): void => {
      const problem = name === '' ? undefined : functionProblem(name);
      if (problem !== undefined) report('function-name', span, { name, problem });
    };
    return {
      fulfillment: (fulfillment) => {
        if (fulfillment.type === 'CODE') check(fulfillment.function);
      },
      end: () => {
        for (const { name } of analysis.config.functions) check(name);
      },
    };
  },
);

const nameProblems = {
  characters: (name: string) => `'${name}' cannot be the name of a function.`,
  reserved: (name: string) => `'${name}' is a word of JavaScript, and cannot be the name of a function.`,
  file: (name: string) => `Some systems cannot have a file named '${name}.ts'.`,
} as const;

/** Reports functions whose file names collide on case-insensitive file systems. */
export const functionCase = ruleOfWhole(
  {
    'function-case': error(
      { name: 'text', other: 'text' },
      (p: { name: string; other: string; first: Span }) => ({
        message: `The functions '${p.name}' and '${p.other}' differ only in letter case.`,
        hint: 'Rename one of them: their files would be one file on macOS and Windows.',
        related: firstDefinedAt(p.first),
      }),
    ),
  },
  ({ analysis, report }) => {
    const known = new Map<string, WithSpan<string>>();
    const check = (named: WithSpan<string>): void => {
      const { value: name, span } = named;
      const other = known.get(name.toLowerCase());
      if (other === undefined) known.set(name.toLowerCase(), named);
      else if (other.value !== name)
        report('function-case', span, { name, other: other.value, first: other.span });
    };
    return {
      fulfillment: (fulfillment) => {
        if (fulfillment.type === 'CODE') check(fulfillment.function);
      },
      end: () => {
        for (const { name } of analysis.config.functions) check(name);
      },
    };
  },
);

/** Reports functions that both a fulfillment and expressions call. */
export const stepAndFunction = rule(
  {
    'step-and-function': error({ name: 'text' }, (p: { name: string; first: Span }) => ({
      message: `'${p.name}' is declared in 'functions', so it cannot be the function of a fulfillment.`,
      hint: "Give one of the two another name: src/code has one file for each, and a fulfillment's function gets a context.",
      related: [{ span: p.first, message: 'declared here' }],
    })),
  },
  ({ analysis, report }) => ({
    fulfillment: (fulfillment) => {
      if (fulfillment.type !== 'CODE') return;
      const { value: name, span } = fulfillment.function;
      const declared = analysis.functionNamed(name);
      if (declared !== undefined) report('step-and-function', span, { name, first: declared.name.span });
    },
  }),
);

/** Reports fulfillments that call the same function but expect different results. */
export const functionReturns = ruleOfWhole(
  {
    'function-returns': error({ name: 'text' }, (p: { name: string; first: Span }) => ({
      message: `The function '${p.name}' returns something else in another fulfillment.`,
      hint: "Write the same 'returns' in both, or use another function in the second one.",
      related: [{ span: p.first, message: 'other result here' }],
    })),
  },
  ({ report }) => {
    const known = new Map<string, CodeFulfillment>();
    return {
      fulfillment: (fulfillment) => {
        if (fulfillment.type !== 'CODE' || fulfillment.function.value === '') return;
        const { value: name } = fulfillment.function;
        const other = known.get(name);
        if (other === undefined) known.set(name, fulfillment);
        else if (resultText(other.returns) !== resultText(fulfillment.returns)) {
          const span = spanOf(fulfillment.returns) ?? fulfillment.function.span;
          report('function-returns', span, { name, first: spanOf(other.returns) ?? other.function.span });
        }
      },
    };
  },
);

function spanOf(result: CodeType | undefined): Span | undefined {
  return result?.kind === 'schema' ? result.node.span : result?.span;
}

/** The result as written, normalizing white space. */
function resultText(result: CodeType | undefined): string {
  if (result === undefined) return '';
  if (result.kind === 'model') return `${result.name}${result.isList ? '[]' : ''}`;
  const { source, start, end } = result.node.span;
  return source.text.slice(start, end).replaceAll(/\s+/g, ' ');
}

/** Reports results with a model that is not in the API description. */
export const unknownResult = rule(
  {
    'unknown-result': error(
      { name: 'text', nearest: 'suggestion' },
      (p: { name: string; hasDescription: boolean; nearest: string | undefined }) => ({
        message: p.hasDescription
          ? `The API description has no model '${p.name}'.`
          : `There is no API description with a model '${p.name}'.`,
        ...meantOr(p.nearest, 'Add the model, or write a JSON schema: returns: { type: object }'),
        isSuggestion: true,
      }),
    ),
  },
  ({ analysis: { config, description }, report }) => {
    const check = (type: CodeType | undefined): void => {
      if (type?.kind !== 'model') return;
      const { name, isList, span } = type;
      if (description?.models.has(name) === true || description?.isIncomplete === true) return;
      const near = nearest(name, new Set(description?.models.keys() ?? []));
      report('unknown-result', span, {
        ...{ name, hasDescription: description !== undefined },
        nearest: near === undefined || !isList ? near : `${near}[]`,
      });
    };
    return {
      fulfillment: (fulfillment) => {
        if (fulfillment.type === 'CODE') check(fulfillment.returns);
      },
      end: () => {
        for (const { input, returns } of config.functions)
          for (const type of [...input, returns]) check(type);
      },
    };
  },
);

/** Reports calls of functions that are not declared, and calls with wrong arguments. */
export const undeclaredFunction = rule(
  {
    'undeclared-function': error(
      { name: 'text', nearest: 'suggestion' },
      (p: { name: string; nearest: string | undefined; isStep: boolean }) => ({
        message: p.isStep
          ? `'${p.name}' is the function of a fulfillment, which expressions cannot call.`
          : `There is no function '${p.name}'.`,
        ...meantOr(
          p.nearest,
          p.isStep
            ? 'Read the result of the fulfillment, or declare a function of another name.'
            : `Declare it: functions: { ${p.name}: { input: [{ type: string }], returns: { type: string } } }`,
        ),
        isSuggestion: true,
      }),
    ),
    'function-arguments': error(
      { name: 'text' },
      (p: { name: string; expected: number; written: number; first: Span }) => ({
        message: `'${p.name}' has ${counted(p.expected, 'argument')}, and is called with ${p.written}.`,
        hint: "Write a value for each type of its 'input'; NULL() for a value that is missing.",
        related: [{ span: p.first, message: 'declared here' }],
      }),
    ),
    'argument-type': error(
      { name: 'text', expected: 'word', found: 'word' },
      (p: {
        name: string;
        number: number;
        expected: string;
        found: string;
        isParameter: boolean;
        first: Span;
      }) => ({
        message: `Argument ${p.number} of '${p.name}' is ${p.expected}, and this value is ${p.found}.`,
        hint: p.isParameter
          ? 'Describe the parameter in the API description: without a type, parameters are strings.'
          : "Pass another value, or change the type in the 'input' of the function.",
        related: [{ span: p.first, message: 'declared here' }],
      }),
    ),
  },
  ({ analysis, report }) => {
    const names = new Set(analysis.config.functions.map(({ name }) => name.value));
    return {
      code: (node, { operation }) => {
        const { function: name, functionSpan, input } = node;
        const declared = analysis.functionNamed(name);
        if (declared === undefined) {
          const isStep = allFulfillments(operation.fulfillments).some(
            ({ fulfillment }) => fulfillment.type === 'CODE' && fulfillment.function.value === name,
          );
          const meant = isStep ? undefined : nearest(name, names);
          if (name !== '') report('undeclared-function', functionSpan, { name, nearest: meant, isStep });
        } else if (input.length !== declared.input.length)
          report('function-arguments', node.span, {
            ...{ name, expected: declared.input.length, written: input.length, first: declared.name.span },
          });
      },
      operation: (_, { analyzed }) => {
        for (const { expression, environment } of analyzed.flow.evaluations)
          for (const node of nodesIn(expression)) {
            if (node.kind !== 'code') continue;
            const declared = analysis.functionNamed(node.function);
            if (declared?.input.length !== node.input.length) continue;
            for (const [index, argument] of node.input.entries()) {
              const schema = analysis.codeSchema(declared.input[index]);
              if (schema === undefined || isFile(argument)) continue;
              const expected = plainKinds(describedType(schema));
              const isParameter = isUndescribed(argument, analyzed, analysis);
              const found = isParameter ? kindsOfParameters : typeOf(argument, environment).kinds;
              if ([...found].some((kind) => expected.has(kind))) continue;
              report('argument-type', argument.span, {
                ...{ name: node.function, number: index + 1, first: declared.name.span, isParameter },
                ...{ expected: shortKinds(expected), found: isParameter ? 'a string' : shortKinds(found) },
              });
            }
          }
      },
    };
  },
);

const kindNames: Readonly<Record<Kind, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

/** Parameters without a declared type are strings, and with brackets in the URL lists or objects of strings. */
const kindsOfParameters: ReadonlySet<Kind> = new Set(['string', 'array', 'object']);

/** Whether the expression is a parameter of a request that no API description describes. */
function isUndescribed(
  expression: Expression,
  { operation, endpoint }: AnalyzedOperation,
  analysis: Analysis,
): boolean {
  const isParameter =
    expression.kind === 'param' || (expression.kind === 'sent' && expression.place === 'query');
  if (!isParameter || operation.endpoint === undefined || endpoint !== undefined) return false;
  // A reference passes values of any type.
  return expression.kind === 'sent' || !analysis.called.has(operation.name.value);
}

/** The kinds of a type; the digits of a number that no double holds are a number. */
function plainKinds({ kinds, isExactNumber }: ValueType): ReadonlySet<Kind> {
  return isExactNumber === true ? new Set([...kinds].filter((kind) => kind !== 'string')) : kinds;
}

/** `a string or null` */
function shortKinds(kinds: ReadonlySet<Kind>): string {
  const names = allKinds.filter((kind) => kinds.has(kind)).map((kind) => kindNames[kind]);
  const last = names.at(-1) ?? 'never valid';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} or ${last}`;
}

/** Reports declared functions that no expression calls. */
export const uncalledFunction = ruleOfWhole(
  {
    'uncalled-function': warning({ name: 'text', call: 'text' }, (p: { name: string; call: string }) => ({
      message: `No expression calls the function '${p.name}'.`,
      hint: `Call it with ${p.call}, or remove it from 'functions'.`,
    })),
  },
  ({ analysis, report, hasErrors }) => {
    const called = new Set<string>();
    const isB = analysis.config.operations.every(({ syntax }) => syntax === 'B');
    return {
      code: (node) => {
        called.add(node.function);
      },
      end: () => {
        // An unreadable expression may call the function.
        if (hasErrors()) return;
        for (const { name, input } of analysis.config.functions) {
          if (called.has(name.value)) continue;
          const passed = input.map(() => ', …').join('');
          const call = isB ? `code('${name.value}'${passed})` : `CODE(${name.value}${passed})`;
          report('uncalled-function', name.span, { name: name.value, call });
        }
      },
    };
  },
);
