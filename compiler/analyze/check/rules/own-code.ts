/** Checks fulfillments of user code: function names and result schemas. */
import type { CodeFulfillment, CodeResult } from '../../../read/config/config-model.js';
import { error, firstDefinedAt, meantOr } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { nearest } from '../../../read/diagnostics/suggest.js';
import type { Span } from '../../../read/source.js';
import { functionProblem } from '../function-name.js';
import { rule, ruleOfWhole } from '../rule.js';
import { words } from '../../../read/diagnostics/marks.js';

/** Reports invalid function names, which must be valid names of exports and files. */
export const functionName = rule(
  {
    'function-name': error(
      { name: 'text', problem: words('file', 'characters', 'reserved') },
      (p: { name: string; problem: 'characters' | 'reserved' | 'file' }) => ({
        message: nameProblems[p.problem](p.name),
        hint: "Write another name, such as 'priceOf': letters, digits and '_', beginning with a letter.",
      }),
    ),
  },
  ({ report }) => ({
    fulfillment: (fulfillment) => {
      if (fulfillment.type !== 'CODE') return;
      const { value: name, span } = fulfillment.function;
      const problem = name === '' ? undefined : functionProblem(name);
      if (problem !== undefined) report('function-name', span, { name, problem });
    },
  }),
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
  ({ report }) => {
    const known = new Map<string, CodeFulfillment['function']>();
    return {
      fulfillment: (fulfillment) => {
        if (fulfillment.type !== 'CODE') return;
        const { value: name, span } = fulfillment.function;
        const other = known.get(name.toLowerCase());
        if (other === undefined) known.set(name.toLowerCase(), fulfillment.function);
        else if (other.value !== name)
          report('function-case', span, { name, other: other.value, first: other.span });
      },
    };
  },
);

/** Reports fulfillments that call the same function but expect different results. */
export const functionReturns = ruleOfWhole(
  {
    'function-returns': error({ name: 'text' }, (p: { name: string; first: Span }) => ({
      message: `The function '${p.name}' returns something else in another fulfillment.`,
      hint: "Write the same 'returns' in both, or give the second one a function of its own.",
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

function spanOf(result: CodeResult | undefined): Span | undefined {
  return result?.kind === 'schema' ? result.node.span : result?.span;
}

/** The result as written, normalizing white space. */
function resultText(result: CodeResult | undefined): string {
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
  ({ analysis: { description }, report }) => ({
    fulfillment: (fulfillment) => {
      if (fulfillment.type !== 'CODE' || fulfillment.returns?.kind !== 'model') return;
      const { name, isList, span } = fulfillment.returns;
      if (description?.models.has(name) === true || description?.isIncomplete === true) return;
      const near = nearest(name, new Set(description?.models.keys() ?? []));
      report('unknown-result', span, {
        ...{ name, hasDescription: description !== undefined },
        nearest: near === undefined || !isList ? near : `${near}[]`,
      });
    },
  }),
);
