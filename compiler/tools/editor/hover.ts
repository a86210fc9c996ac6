/** The hover text for a position: for a field, function, name, parameter, column, table or schedule. */
import type { Analysis } from '../../analyze/operations/analysis.js';
import type { Expression } from '../../read/expression/ast.js';
import { parts } from '../../read/expression/visit.js';
import type { CodeType, Fulfillment } from '../../read/config/config-model.js';
import { describedType } from '../../analyze/types/described-type.js';
import { unknownValue } from '../../analyze/types/known-types.js';
import { positionKey, type Source, type Span } from '../../read/source.js';
import { fieldInfo, kindNames } from '../../read/config/field-table.js';
import { expressionBefore } from './expression-before.js';
import { functionDocs } from './function-docs.js';
import { nextRuns } from './next-runs.js';
import type { Digits } from '../../analyze/types/sent-digits.js';
import { operationAt, typeOfExpression, typeOfName, visibleAt } from './readable-values.js';
import { occurrenceAt } from './occurrences.js';
import { fileOfFunction } from '../typescript/exported-function.js';
import { pathTargetOf } from './path-target.js';
import { schemaText } from './schema/hover-schema.js';
import { sqlNamesAt, type FindSchema } from './schema/sql-name.js';
import { shortType } from './short-type.js';
import { yamlPathIn } from './yaml-path.js';
import { markdown } from '../../notation/markdown-writer.js';
import { joined, type Written } from '../../notation/written.js';
import { counted } from '../../read/diagnostics/quoted-list.js';

export interface Hover {
  readonly text: Written<'markdown'>;
  /** The text range that the hover describes. */
  readonly start: number;
  readonly end: number;
}

/** Facts from outside the configuration. */
export interface Around {
  readonly schema: FindSchema;
  readonly now: Date;
}

/** Undefined if there is nothing to show. `source` is a file of the analysis. */
export function hoverAt(
  source: Source,
  offset: number,
  analysis: Analysis | undefined,
  { schema, now }: Around,
): Hover | undefined {
  const ofKey = hoverOfKey(source, offset);
  if (ofKey !== undefined || analysis === undefined) return ofKey;
  const at = { source, offset, analysis };
  return (
    hoverOfFunction(at) ??
    hoverOfExpression(at) ??
    hoverOfSchedule(at, now) ??
    hoverOfSql(at, schema) ??
    hoverOfName(at)
  );
}

/** A position in a file of the analysis. */
interface At {
  readonly source: Source;
  readonly offset: number;
  readonly analysis: Analysis;
}

function hoverOfKey(source: Source, offset: number): Hover | undefined {
  const { text } = source;
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1).split('\n', 1)[0] ?? '';
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const [, lead = '', key = ''] = /^((?: |- +)*)(\w+)\s*:(?:\s|$)/.exec(line) ?? [];
  const start = lineStart + lead.length;
  const end = start + key.length;
  if (key === '' || offset < start || offset > end) return undefined;
  const { kind, isMap } = pathTargetOf(yamlPathIn(source, start).steps);
  const info = kind === undefined || !isMap ? undefined : fieldInfo(kind, key);
  if (info === undefined || kind === undefined) return undefined;
  const required = info.isRequired === true ? markdown`, required` : markdown``;
  const lines = [
    markdown`**${markdown.text(key)}** – field of ${markdown.text(kindNames[kind])}${required}`,
    markdown.documentation(info.about),
    ...(info.words === undefined ? [] : [markdown`One of ${joined(info.words.map(markdown.code), ', ')}.`]),
    markdown`Example: ${markdown.code(`${key}: ${info.example}`)}`,
  ];
  return { text: joined(lines, '\n\n'), start, end };
}

function typeLine(label: string, type: string, column?: string): Written<'markdown'> {
  const block = markdown.block(`${label}: ${type}`, 'ts');
  return column === undefined ? block : markdown`${block}\n\nDatabase type ${markdown.code(column)}`;
}

/** Describes a syntax A function at a position in an operation. */
function hoverOfFunction(at: At): Hover | undefined {
  const { source, offset, analysis } = at;
  const { text } = source;
  if (operationAt(analysis, source, offset)?.operation.syntax !== 'A') return undefined;
  // SQL has functions of the same names.
  const path = yamlPathIn(source, offset);
  if (expressionBefore(path, pathTargetOf(path.steps)) === undefined) return undefined;
  const before = /(?<![A-Z\d_])[A-Z\d_]*$/.exec(text.slice(Math.max(0, offset - 30), offset))?.[0] ?? '';
  const after = /^[A-Z\d_]*(?=\()/.exec(text.slice(offset, offset + 30))?.[0];
  const doc = after === undefined ? undefined : functionDocs.get(before + after);
  if (doc === undefined || after === undefined) return undefined;
  const start = offset - before.length;
  const end = offset + after.length;
  const expression = expressionAt(at);
  const type = expression?.span.start === start ? typeText(expression, at) : undefined;
  return {
    text: joined(
      [
        markdown.code(doc.form),
        doc.about,
        ...(type === undefined ? [] : [typeLine('here', type.text, type.column)]),
        ...(expression?.span.start === start ? sentLines(expression, at) : []),
      ],
      '\n\n',
    ),
    start,
    end,
  };
}

/** The innermost expression that contains the offset. */
function expressionAt({ source, offset, analysis }: At): Expression | undefined {
  const analyzed = operationAt(analysis, source, offset);
  const holds = ({ span }: Expression): boolean => span.start <= offset && offset <= span.end;
  let found = analyzed?.flow.evaluations.find(({ expression }) => holds(expression))?.expression;
  for (let part = found; part !== undefined; part = parts(part).find(holds)) found = part;
  return found;
}

function typeText(
  expression: Expression,
  { source, offset, analysis }: At,
): { text: string; column: string | undefined } | undefined {
  const analyzed = operationAt(analysis, source, offset);
  if (analyzed === undefined) return undefined;
  const type = typeOfExpression(analyzed, expression, offset);
  return { text: shortType(type), column: type.column };
}

function hoverOfExpression(at: At): Hover | undefined {
  const expression = expressionAt(at);
  if (expression === undefined || isOnName(expression, at.offset)) return undefined;
  const type = typeText(expression, at);
  const { start, end, source } = expression.span;
  if (type === undefined) return undefined;
  const written = source.text.slice(start, end).replaceAll(/\s+/g, ' ');
  const lines = [typeLine(written.length > 60 ? 'value' : written, type.text, type.column)];
  return { text: joined([...lines, ...sentLines(expression, at)], '\n\n'), start, end };
}

/** How a response sends the numbers of the value; empty if they are sent as numbers. */
function sentLines(expression: Expression, { source, offset, analysis }: At): Written<'markdown'>[] {
  const analyzed = operationAt(analysis, source, offset);
  const sent = [...(analyzed?.digits ?? [])].find(
    ([value]) => 'value' in value && value.value === expression,
  );
  if (sent === undefined) return [];
  const [, digits] = sent;
  if (digits.kind === 'number') return [markdown`Sent as a string: ${markdown.text(digitsText(digits))}.`];
  const fields = [...digits.fields].map(([name, inside]) =>
    inside.kind === 'number'
      ? markdown`- ${markdown.code(name)}: ${markdown.text(digitsText(inside))}`
      : markdown`- numbers in ${markdown.code(name)}`,
  );
  return [markdown`Sent as strings:\n\n${joined(fields, '\n')}`];
}

function digitsText({ scale }: Extract<Digits, { kind: 'number' }>): string {
  if (scale === undefined) return 'the digits of the number';
  return scale === 0 ? 'the digits of an integer' : `the digits of the number, ${scale} after the point`;
}

function hoverOfSchedule({ source, offset, analysis }: At, now: Date): Hover | undefined {
  for (const { cron, timezone } of operationAt(analysis, source, offset)?.operation.triggers ?? []) {
    if (cron === undefined || cron.span.start > offset || offset > cron.span.end) continue;
    const text = nextRuns(cron.value, timezone?.value, now);
    if (text !== undefined) return { text, start: cron.span.start, end: cron.span.end };
  }
  return undefined;
}

function hoverOfSql({ source, offset, analysis }: At, schema: FindSchema): Hover | undefined {
  const names = sqlNamesAt(analysis, source, offset, schema);
  const [first] = names;
  return first && { text: schemaText(names), start: first.span.start, end: first.span.end };
}

function isOnName(expression: Expression, offset: number): boolean {
  const span = expression.kind === 'code' ? expression.functionSpan : undefined;
  const own = 'nameSpan' in expression ? expression.nameSpan : span;
  return own !== undefined && own.start <= offset && offset <= own.end;
}

function hoverOfName({ source, offset, analysis }: At): Hover | undefined {
  const found = occurrenceAt(analysis, source, offset);
  if (found === undefined) return undefined;
  const { kind, name, span, operation } = found;
  const { start, end }: Span = span;
  const about = (text: Written<'markdown'>): Hover => ({ text, start, end });
  switch (kind) {
    case 'fulfillment': {
      const analyzed = analysis.operations.find((one) => one.operation === operation);
      const own = analyzed?.fulfillments.find((one) => one.fulfillment.name.value === name)?.fulfillment;
      if (analyzed === undefined || own === undefined) return undefined;
      const seen = visibleAt(analyzed.operation, offset, false).find((one) => one.fulfillment === own);
      const visible = seen ?? { fulfillment: own, isElement: false };
      const what =
        own.type === 'LOOP'
          ? 'LOOP'
          : own.type === 'REFERENCE'
            ? `reference to ${own.operationName.value}`
            : own.type === 'DEFERRED'
              ? `call of ${own.operationName.value} after the commit`
              : own.type === 'CODE'
                ? `own code, ${fileOfFunction(own.function.value)}`
                : own.type === 'COMPUTE'
                  ? 'computed value'
                  : `${own.type} of ${own.datasource.value}`;
      return about(
        markdown`Fulfillment **${markdown.text(name)}** – ${markdown.text(what)}\n\n${typeLine(name, shortType(typeOfName(analyzed, visible, offset)))}`,
      );
    }
    case 'operation': {
      const analyzed = analysis.operations.find((one) => one.operation.name.value === name);
      if (analyzed === undefined) return undefined;
      const steps = analyzed.fulfillments.length;
      const statuses = [
        ...new Set(analyzed.operation.responses.map(({ statuscode }) => statuscode.value)),
      ].join(', ');
      return about(
        markdown`Operation **${markdown.text(name)}** – ${markdown.text(`Syntax ${analyzed.operation.syntax}, ${counted(steps, 'fulfillment')}${statuses === '' ? '' : `, responses ${statuses}`}`)}\n\n${typeLine('body', shortType(analyzed.flow.responseType))}`,
      );
    }
    case 'datasource': {
      const datasource = analysis.datasource(name);
      return about(
        markdown`Datasource **${markdown.text(name)}** – ${markdown.text(datasource?.dialect ?? datasource?.type ?? 'unknown type')}`,
      );
    }
    case 'authentication': {
      const type = analysis.config.authentications.find((one) => one.name.value === name)?.type;
      return about(
        markdown`Authentication **${markdown.text(name)}** – ${markdown.text(type ?? 'unknown type')}`,
      );
    }
    case 'function': {
      const declared = analysis.functionNamed(name);
      if (declared !== undefined) {
        const typeOfCode = (type: CodeType | undefined): string => {
          const schema = analysis.codeSchema(type);
          return shortType(schema === undefined ? unknownValue : describedType(schema));
        };
        const signature = `(${declared.input.map(typeOfCode).join(', ')}) => ${typeOfCode(declared.returns)}`;
        return about(
          markdown`Function **${markdown.text(name)}** of ${markdown.text(fileOfFunction(name))}\n\n${typeLine(name, signature)}`,
        );
      }
      const results = analysis.operations.flatMap((analyzed) =>
        analyzed.fulfillments
          .filter(({ fulfillment }) => isCallAt(fulfillment, span))
          .map(({ fulfillment }) => typeOfName(analyzed, { fulfillment, isElement: false }, offset)),
      );
      // With a YAML alias, the same call can be part of several operations.
      const shown = results.slice(0, 1).map((type) => typeLine('result', shortType(type)));
      return about(
        joined(
          [markdown`Function **${markdown.text(name)}** of ${markdown.text(fileOfFunction(name))}`, ...shown],
          '\n\n',
        ),
      );
    }
    case 'model': {
      const model = analysis.description?.models.get(name);
      const fields = [...(model?.properties.keys() ?? [])].join(', ');
      return about(
        markdown`Model **${markdown.text(name)}** of the API description${markdown.text(fields === '' ? '' : `: ${fields}`)}`,
      );
    }
  }
}

function isCallAt(fulfillment: Fulfillment, span: Span): boolean {
  return fulfillment.type === 'CODE' && positionKey(fulfillment.function.span) === positionKey(span);
}
