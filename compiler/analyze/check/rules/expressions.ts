/** Reports expressions that read a missing field, and strings that look like an expression. */
import { isStatement, leavesOf } from '../../../read/config/walk.js';
import { referencesIn } from '../../../../runtime/server/environment-reference.js';
import type { Operation, Schema } from '../../../read/config/config-model.js';
import { isPlainText } from '../../../read/openapi/media-type.js';
import {
  error,
  ordinaryError,
  warning,
  type Wording,
} from '../../../read/diagnostics/catalogue/entry-messages.js';
import { isUnambiguous, nearest } from '../../../read/diagnostics/suggest.js';
import type { ErrorValue, Expression, Syntax, TextLiteral } from '../../../read/expression/ast.js';
import { readingFunctions } from '../../../read/expression/functions.js';
import { printExpression } from '../../../read/expression/print-expression.js';
import { contains, nodesIn, parts, readsRequest } from '../../../read/expression/visit.js';
import { type ScalarText, type Span } from '../../../read/source.js';
import type { AnalyzedOperation } from '../../operations/analyzed-operation.js';
import { missingField } from '../../types/missing-field.js';
import { readOf, spanOfStep, type Read } from '../read-path.js';
import { type OperationSite, rule } from '../rule.js';
import { eachSchema } from '../each-schema.js';
import { errorFields } from '../../types/error-type.js';
import { typeOf } from '../../types/infer.js';
import { anyRequest, Environment } from '../../types/visible-values.js';
import { quotedList } from '../../../read/diagnostics/quoted-list.js';

interface UnknownField {
  readonly name: string;
  /** The source of the field, and the operation: all uses within it share a diagnostic. */
  readonly origin: object;
  readonly within: Span;
  readonly names: readonly string[];
  readonly nearest: string | undefined;
  /** The expression that was probably meant for the number of rows, and the span to replace. */
  readonly size?: { readonly written: string; readonly insteadOf: Span } | undefined;
  /** How to test for an empty result, if that was probably meant. */
  readonly noRows?: string | undefined;
}

/** The marks for `UnknownField`. */
const ofUnknownField = {
  name: 'text',
  origin: {},
  names: 'text',
  nearest: 'suggestion',
  size: { written: 'text' },
  noRows: 'text',
} as const;

const mysqlFields = new Set(['affected_rows', 'insert_id']);

/** The intended field for names that other languages use for the fields of a map entry. */
function fieldOfEntry(name: string): string | undefined {
  if (/^(?:value|v|data)$/i.test(name)) return 'val';
  return /^(?:name|k|field|attribute|id)$/i.test(name) ? 'key' : undefined;
}

const maxNames = 12;

/** The intended field for an unknown name. `are` begins the list of existing fields. */
function meantField(
  { name, names, nearest, origin, within, size, noRows }: UnknownField,
  are: string,
): Omit<Wording, 'message'> {
  const subject = JSON.stringify([within.start, origin, name]);
  // Expressions as column names are not readable.
  const readable = names.filter((name) => /^[\w$ -]+$|[^\0-\x7f]/.test(name));
  const shown = readable.slice(0, maxNames).map((name) => `'${name}'`);
  const more = readable.length > maxNames ? ` and ${readable.length - maxNames} more` : '';
  const list = shown.length === 0 ? 'Name one with AS.' : `${are} ${shown.join(', ')}${more}.`;
  if (nearest === undefined && noRows !== undefined)
    return { hint: `Write ${noRows} to test that there are no rows. ${list}`, subject };
  return nearest === undefined
    ? size === undefined
      ? { hint: shown.length === 0 ? list : list.replace(/^Its (\w+) are/, 'Write one of its $1:'), subject }
      : {
          hint: `Write ${size.written} for the number of rows. ${list}`,
          subject,
          instead: size.written,
          insteadOf: size.insteadOf,
        }
    : {
        hint: `Did you mean '${nearest}'? ${list}`,
        subject,
        instead: nearest,
        isSuggestion: !isUnambiguous(name, names),
      };
}

/** Reports paths that read a missing field: of rows, of a called operation's response, of a described request. */
export const unknownColumn = rule(
  {
    'unknown-column': ordinaryError(
      { ...ofUnknownField, fulfillment: 'text' },
      (p: UnknownField & { fulfillment: string }) => ({
        message: `The rows of '${p.fulfillment}' have no column '${p.name}'.`,
        ...meantField(p, 'Its columns are'),
      }),
    ),
    'unknown-answer-field': ordinaryError(
      { ...ofUnknownField, operation: 'text' },
      (p: UnknownField & { operation: string }) => ({
        message: `The response of '${p.operation}' has no field '${p.name}'.`,
        ...meantField(p, 'Its fields are'),
      }),
    ),
    'unknown-computed-field': ordinaryError(
      { ...ofUnknownField, fulfillment: 'text' },
      (p: UnknownField & { fulfillment: string }) => ({
        message: `The computed value '${p.fulfillment}' has no field '${p.name}'.`,
        ...meantField(p, 'Its fields are'),
      }),
    ),
    'unknown-entry-field': ordinaryError(ofUnknownField, (p: UnknownField) => ({
      message: `The elements of an object have no field '${p.name}'.`,
      ...meantField(p, 'Its fields are'),
    })),
    'unknown-request-field': ordinaryError(ofUnknownField, (p: UnknownField) => ({
      message: `The API description forbids a field '${p.name}' here.`,
      ...meantField(p, 'Its fields are'),
    })),
    'undescribed-request-field': warning(ofUnknownField, (p: UnknownField) => ({
      message: `The API description has no field '${p.name}' here.`,
      ...meantField(p, 'Its fields are'),
    })),
  },
  ({ report }) => {
    const check = ({ operation, analyzed }: OperationSite, node: Expression, { type, path }: Read): void => {
      const missing = missingField(type, path);
      if (missing === undefined) return;
      const { name, fields } = missing;
      const { origin, names, isClosed } = fields;
      // Results of changes have a different diagnostic, except for rows of RETURNING.
      if (origin.kind === 'rows' && mysqlFields.has(name) && !returnsRows(analyzed, origin.fulfillment))
        return;
      const span = spanOfStep(node, name);
      const within = operation.name.span;
      const found = { name, names, nearest: nearest(name, names), origin, within };
      switch (origin.kind) {
        case 'rows':
          if (isClosed)
            report('unknown-column', span, {
              ...found,
              fulfillment: origin.fulfillment,
              size: /^(?:size|length|count)$/i.test(name) ? sizeOf(node, operation) : undefined,
              noRows: /^(?:is_?)?empty$/i.test(name) ? noRowsOf(node, operation) : undefined,
            });
          break;
        case 'response':
          if (isClosed) report('unknown-answer-field', span, { ...found, operation: origin.operation });
          break;
        case 'computed':
          if (isClosed) report('unknown-computed-field', span, { ...found, fulfillment: origin.fulfillment });
          break;
        case 'entries':
          report('unknown-entry-field', span, { ...found, nearest: found.nearest ?? fieldOfEntry(name) });
          break;
        case 'described':
          report(isClosed ? 'unknown-request-field' : 'undescribed-request-field', span, found);
          break;
        case 'built':
        case 'error':
          break;
      }
    };
    return {
      operation: (_, site) => {
        for (const { expression, environment } of site.analyzed.flow.evaluations) {
          for (const node of nodesIn(expression)) {
            const read = readOf(node, environment);
            if (read !== undefined) check(site, node, read);
          }
        }
      },
    };
  },
);

/** Whether the statement is a PostgreSQL change with its own RETURNING. */
function returnsRows({ fulfillments }: AnalyzedOperation, name: string): boolean {
  return fulfillments.some(
    ({ fulfillment }) =>
      fulfillment.name.value === name &&
      fulfillment.type === 'UPDATE' &&
      fulfillment.instructions.some(
        ({ action }) => isStatement(action) && action.dialect === 'postgresql' && action.returnsRows,
      ),
  );
}

function sizeOf(node: Expression, { syntax }: Operation): UnknownField['size'] {
  if (node.kind !== 'value' || node.path.length !== 1) return undefined;
  const written = syntax === 'A' ? `SIZE(VALUE(${node.name}, $))` : `${node.name}.size()`;
  return { written, insteadOf: node.span };
}

function noRowsOf(node: Expression, operation: Operation): string | undefined {
  const size = sizeOf(node, operation)?.written;
  return size && (operation.syntax === 'A' ? `${size} == INTEGER(0)` : `${size} == 0`);
}

/**
 * Reports `news.size == 0` in Syntax B: without parentheses, `.size` is a field, and nothing else in the operation mentions such a field.
 */
export const sizeWithoutParentheses = rule(
  {
    'size-without-parentheses': warning(() => ({
      message: "'.size' without parentheses is a field, not the number of elements.",
      hint: "Write .size() for the number, or ['size'] for the field.",
    })),
  },
  ({ report }) => ({
    comparison: ({ left, right }, { operation, analyzed }) => {
      if (operation.syntax !== 'B') return;
      for (const [side, other] of [
        [left, right],
        [right, left],
      ] as const) {
        if (isCount(other) && isSizeField(side, analyzed)) report('size-without-parentheses', side.span);
      }
    },
  }),
);

/** Whether the expression is a number with which emptiness is tested. */
function isCount(expression: Expression): boolean {
  return expression.kind === 'number' && (expression.value === 0 || expression.value === 1);
}

/** Whether `size` is really meant as a field: written as `['size']`, or as a column mentioned in the SQL. */
function isSizeField(expression: Expression, { fulfillments, flow }: AnalyzedOperation): boolean {
  if (expression.kind !== 'value' && expression.kind !== 'body') return false;
  const { source, start, end } = expression.span;
  if (!/\.size$/.test(source.text.slice(start, end))) return false;
  if (expression.kind === 'body') return expression.path.length > 1;
  return !fulfillments.some(({ fulfillment }) => {
    if (fulfillment.name.value !== expression.name || !('instructions' in fulfillment)) return false;
    return fulfillment.instructions.some(
      ({ action }) =>
        isStatement(action) &&
        // If all columns are known, `size` is reported as an unknown column.
        (flow.rows.get(action)?.element?.fields?.isClosed === true ||
          action.pieces.tokens.some(({ kind, text }) => kind !== 'placeholder' && /\bsize\b/i.test(text))),
    );
  });
}

const call = RegExp(String.raw`\b(?:${readingFunctions.join('|')})\([^()\n]*\)`);
/** Functions without arguments, and ENV with a constant. In Syntax B they look like ordinary text, so they must be the whole string. */
const calls = {
  A: /\b(?:NOW|UUID)\(\)|\bENV\([A-Z][A-Z\d_]*\)/,
  B: /^(?:(?:now|uuid|address)\(\)|env\('[^']*'\))$/,
};
const isVariable = /^\$\{[A-Z][A-Z\d_]*\}$/;

/** Reports strings that contain an expression or an environment reference: these would be sent literally. */
export const expressionInText = rule(
  {
    'expression-in-text': warning(
      { written: 'text', instead: 'text' },
      (p: { written: string; instead: string | undefined }) => ({
        message: `${p.written} is inside a string: these characters are sent, not its value.`,
        hint:
          p.instead === undefined
            ? `Write ${p.written} as a separate field, or join the two with CONCAT(…).`
            : `Write ${p.instead} for the variable of the environment.`,
        instead: p.instead,
        isSuggestion: true,
      }),
    ),
  },
  ({ report }) => ({
    text: (node, { operation: { syntax } }) => {
      const found = (call.exec(node.value) ?? calls[syntax].exec(node.value))?.[0];
      const isCall = found !== undefined && (!found.startsWith('VALUE(') || found.includes('$'));
      const reference = referencesIn(node.value).find(({ text }) => isVariable.test(text));
      const written = isCall ? found : reference?.text;
      if (written === undefined) return;
      const instead = isCall ? undefined : printExpression(withVariables(node), syntax);
      report('expression-in-text', node.span, { written, instead });
    },
  }),
);

/** The text with environment references replaced by ENV. */
function withVariables({ value, span }: TextLiteral): Expression {
  const parts: Expression[] = [];
  let from = 0;
  const addText = (to: number): void => {
    if (to > from) parts.push({ kind: 'text', value: value.slice(from, to), span });
  };
  for (const { name, text, start, end } of referencesIn(value)) {
    if (!isVariable.test(text)) continue;
    addText(start);
    parts.push({ kind: 'variable', name, byDefault: [], span });
    from = end;
  }
  addText(value.length);
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { kind: 'concat', parts, span };
}

export const environmentCompared = rule(
  {
    'environment-compared': error({ written: 'text' }, (p: { written: string }) => ({
      message: `${p.written} is compared with a value of the request: the time of the comparison can reveal it.`,
      hint: 'Use an authentication, whose comparison takes the same time for every value: type: apikey with keys, or type: signature for a webhook.',
    })),
    'environment-in-response': warning({ written: 'text' }, (p: { written: string }) => ({
      message: `${p.written} is sent to every client of this response.`,
      hint: 'Write a constant if it is not a secret, or remove it.',
    })),
  },
  ({ report }) => {
    const inBody = (expression: Expression | undefined, syntax: Syntax): void => {
      for (const node of expression === undefined ? [] : nodesSent(expression))
        if (node.kind === 'variable')
          report('environment-in-response', node.span, { written: printExpression(node, syntax) });
    };
    const { response } = eachSchema((schema, { operation: { syntax } }) => {
      if (schema.kind === 'leaf') inBody(schema.value, syntax);
    });
    return {
      ...(response && { response }),
      operation: ({ mappings }) => {
        for (const { fields } of mappings) for (const { value } of fields) inBody(value, 'B');
      },
      comparison: ({ left, right, span }, { operation: { syntax } }) => {
        const secret = [left, right].find((side) => contains(side, 'variable'));
        if (secret === undefined || !readsRequest(secret === left ? right : left)) return;
        report('environment-compared', span, { written: printExpression(secret, syntax) });
      },
    };
  },
);

/** Conditions, digests and lengths, whose values do not show what they are made of; functions of the service decide what they return. */
const concealing: ReadonlySet<Expression['kind']> = new Set<Expression['kind']>([
  ...([
    'comparison',
    'logical',
    'not',
    'verify',
    'outdated',
    'sha256',
    'hash',
    'length',
    'size',
    'code',
  ] as const),
]);

/** The nodes whose values are part of the expression's value. */
function nodesSent(expression: Expression): Expression[] {
  if (concealing.has(expression.kind)) return [];
  return [expression, ...parts(expression).flatMap(nodesSent)];
}

export const unreachableAlternative = rule(
  {
    'unreachable-alternative': warning({ before: 'text' }, (p: { before: string }) => ({
      message: `This value is never used: ${p.before} is never null.`,
      hint: 'Remove it, or write it before the other one.',
    })),
  },
  ({ report }) => ({
    operationEnd: ({ syntax }, { analyzed }) => {
      const seen = new Set<Expression>();
      for (const { expression, environment } of analyzed.flow.evaluations) {
        for (const node of nodesIn(expression)) {
          if (node.kind !== 'coalesce' || seen.has(node)) continue;
          seen.add(node);
          const first = node.parts.findIndex((part) => !typeOf(part, environment).kinds.has('null'));
          const [before, next] = [node.parts[first], node.parts[first + 1]];
          if (before !== undefined && next !== undefined)
            report('unreachable-alternative', next.span, { before: printExpression(before, syntax) });
        }
      }
    },
  }),
);

/** Reports ERROR outside of error bodies. */
export const errorOutside = rule(
  {
    'error-outside': error({ written: 'text' }, (p: { written: string }) => ({
      message: `${p.written} is read where there is no error.`,
      hint: 'It can be read in the schema of an exception, and in those of settings.errors.',
    })),
    'unknown-error-field': error(
      { name: 'text', nearest: 'suggestion' },
      (p: { name: string; nearest: string | undefined }) => ({
        message: `An error has no field '${p.name}'.`,
        hint: `${p.nearest === undefined ? '' : `Did you mean '${p.nearest}'? `}Its fields are ${quotedList([...errorFields.keys()])}.`,
        instead: p.nearest,
        subject: p.name,
        isSuggestion: true,
      }),
    ),
    'error-content-type': error({ written: 'text' }, (p: { written: string }) => ({
      message: `Errors are JSON or plain text, but '${p.written}' is neither.`,
      hint: 'Write application/json, a type that ends with +json, such as application/problem+json, or text/plain.',
    })),
    'error-text': error(() => ({
      message: 'The body of text/plain is one string, not an object or a list.',
      hint: "Write one expression, such as 'schema: ERROR($.message)' or CONCAT(…).",
    })),
    'error-reads-request': error({ written: 'text' }, (p: { written: string }) => ({
      message: `${p.written} cannot be read in settings.errors.`,
      hint: 'These bodies are also sent for errors outside operations. Write constants, NOW() and parts of the error, such as ERROR($.message). To send results of an operation, write a `schema` in its exception.',
    })),
  },
  ({ analysis, report }) => {
    const checkContentType = (contentType: ScalarText | undefined): void => {
      if (contentType !== undefined && !isPlainText(contentType.value) && !jsonType.test(contentType.value))
        report('error-content-type', contentType.span, { written: contentType.value });
    };
    const checkField = (node: ErrorValue): void => {
      const [step] = node.path;
      if (step?.kind !== 'name' || errorFields.has(step.name)) return;
      const { name } = step;
      report('unknown-error-field', spanOfStep(node, name), {
        name,
        nearest: nearest(name, [...errorFields.keys()]),
      });
    };
    return {
      error: (node, { scope, operation: { syntax } }) => {
        if (scope.inError !== true)
          report('error-outside', node.span, { written: printExpression(node, syntax) });
        else checkField(node);
      },
      end: () => {
        const { errors } = analysis.config.settings;
        for (const { contentType, schema } of typeof errors === 'string' ? [] : errors) {
          checkContentType(contentType);
          if (schema !== undefined && isPlainText(contentType?.value) && !isText(schema))
            report('error-text', spanOfSchema(schema));
          const values = schema === undefined ? [] : leavesOf(schema);
          for (const node of values.flatMap((value) => nodesIn(value))) {
            if (node.kind === 'error') checkField(node);
            if (!ofErrors.has(node.kind))
              report('error-reads-request', node.span, { written: textOf(node.span) });
          }
        }
      },
    };
  },
);

const jsonType = /^[\w.+-]+\/(?:json|[\w.-]+\+json)(?:\s*;\s*charset=utf-8)?$/i;

/** Whether the schema is one expression whose value is neither an object nor a list. */
function isText(schema: Schema): boolean {
  if (schema.kind !== 'leaf') return false;
  const { kinds } = typeOf(schema.value, Environment.of(anyRequest));
  return !kinds.has('object') && !kinds.has('array');
}

/** The first expression or field of the schema. */
function spanOfSchema(schema: Schema): Span {
  if (schema.kind === 'leaf') return schema.value.span;
  if (schema.kind === 'array') return schema.list.span;
  const [first] = schema.fields;
  if (first === undefined) throw new Error('A body without fields.');
  return first.span;
}

function textOf({ source, start, end }: Span): string {
  return source.text.slice(start, end);
}

const ofErrors: ReadonlySet<Expression['kind']> = new Set([
  ...(['text', 'number', 'boolean', 'null', 'error', 'element', 'list', 'size', 'concat'] as const),
  ...(['coalesce', 'comparison', 'logical', 'not', 'now', 'uuid', 'length', 'lower', 'sha256'] as const),
]);
