/** The hover text for a position: the field, function, name, parameter or column that is written there. */
import type { Analysis } from '../../analyze/operations/analysis.js';
import type { Expression } from '../../read/expression/ast.js';
import { parts } from '../../read/expression/visit.js';
import type { Span } from '../../read/source.js';
import { fieldInfo, kindNames } from './field-table.js';
import { functionDocs } from './function-docs.js';
import { operationAt, typeOfExpression, typeOfName, visibleAt } from './readable-values.js';
import { occurrenceAt } from './occurrences.js';
import { pathTargetOf } from './path-target.js';
import { shortType } from './short-type.js';
import { yamlPathAt } from './yaml-path.js';

export interface Hover {
  /** Markdown. */
  readonly text: string;
  /** The range in the text that it describes. */
  readonly start: number;
  readonly end: number;
}

/** Undefined if there is nothing to show. `text`: that of the analysis. */
export function hoverAt(text: string, offset: number, analysis: Analysis | undefined): Hover | undefined {
  const ofKey = hoverOfKey(text, offset);
  if (ofKey !== undefined || analysis === undefined) return ofKey;
  return (
    hoverOfFunction(text, offset, analysis) ??
    hoverOfExpression(offset, analysis) ??
    hoverOfName(offset, analysis)
  );
}

function hoverOfKey(text: string, offset: number): Hover | undefined {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1).split('\n', 1)[0] ?? '';
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const [, lead = '', key = ''] = /^((?: |- +)*)(\w+)\s*:(?:\s|$)/.exec(line) ?? [];
  const start = lineStart + lead.length;
  const end = start + key.length;
  if (key === '' || offset < start || offset > end) return undefined;
  const { kind, isMap } = pathTargetOf(yamlPathAt(text, start).steps);
  const info = kind === undefined || !isMap ? undefined : fieldInfo(kind, key);
  if (info === undefined || kind === undefined) return undefined;
  const lines = [
    `**${key}** – field of ${/^[aeiouS]/.test(kindNames[kind]) ? 'an' : 'a'} ${kindNames[kind]}${info.isRequired === true ? ', required' : ''}`,
    info.about,
    ...(info.words === undefined ? [] : [`One of ${info.words.map((word) => `\`${word}\``).join(', ')}.`]),
    `Example: \`${key}: ${info.example}\``,
  ];
  return { text: lines.join('\n\n'), start, end };
}

function typeLine(label: string, type: string, column?: string): string {
  return `\`\`\`ts\n${label}: ${type}\n\`\`\`${column === undefined ? '' : `\n\nDatabase type \`${column}\``}`;
}

/** The name of a function of Syntax A in an operation. */
function hoverOfFunction(text: string, offset: number, analysis: Analysis): Hover | undefined {
  if (operationAt(analysis, offset)?.operation.syntax !== 'A') return undefined;
  const before = /[A-Z_]*$/.exec(text.slice(Math.max(0, offset - 30), offset))?.[0] ?? '';
  const after = /^[A-Z_]*(?=\()/.exec(text.slice(offset, offset + 30))?.[0];
  const doc = after === undefined ? undefined : functionDocs.get(before + after);
  if (doc === undefined || after === undefined) return undefined;
  const start = offset - before.length;
  const end = offset + after.length;
  const expression = expressionAt(offset, analysis);
  const type = expression?.span.start === start ? typeText(expression, offset, analysis) : undefined;
  return {
    text: [
      `\`${doc.form}\``,
      doc.about,
      ...(type === undefined ? [] : [typeLine('here', type.text, type.column)]),
    ].join('\n\n'),
    start,
    end,
  };
}

/** The smallest part of an expression that the offset is in. */
function expressionAt(offset: number, analysis: Analysis): Expression | undefined {
  const analyzed = operationAt(analysis, offset);
  const holds = ({ span }: Expression): boolean => span.start <= offset && offset <= span.end;
  let found = analyzed?.flow.evaluations.find(({ expression }) => holds(expression))?.expression;
  for (let part = found; part !== undefined; part = parts(part).find(holds)) found = part;
  return found;
}

function typeText(
  expression: Expression,
  offset: number,
  analysis: Analysis,
): { text: string; column: string | undefined } | undefined {
  const analyzed = operationAt(analysis, offset);
  if (analyzed === undefined) return undefined;
  const type = typeOfExpression(analyzed, expression, offset);
  return { text: shortType(type), column: type.column };
}

function hoverOfExpression(offset: number, analysis: Analysis): Hover | undefined {
  const expression = expressionAt(offset, analysis);
  if (expression === undefined || isOnName(expression, offset)) return undefined;
  const type = typeText(expression, offset, analysis);
  const { start, end, source } = expression.span;
  if (type === undefined) return undefined;
  const written = source.text.slice(start, end).replaceAll(/\s+/g, ' ');
  return { text: typeLine(written.length > 60 ? 'value' : written, type.text, type.column), start, end };
}

function isOnName(expression: Expression, offset: number): boolean {
  return 'nameSpan' in expression && expression.nameSpan.start <= offset && offset <= expression.nameSpan.end;
}

function hoverOfName(offset: number, analysis: Analysis): Hover | undefined {
  const found = occurrenceAt(analysis, offset);
  if (found === undefined) return undefined;
  const { kind, name, span, operation } = found;
  const { start, end }: Span = span;
  const about = (text: string): Hover => ({ text, start, end });
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
            : `${own.type} of ${own.datasource.value}`;
      return about(
        `Fulfillment **${name}** – ${what}\n\n${typeLine(name, shortType(typeOfName(analyzed, visible, offset)))}`,
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
        `Operation **${name}** – Syntax ${analyzed.operation.syntax}, ${steps} ${steps === 1 ? 'fulfillment' : 'fulfillments'}${statuses === '' ? '' : `, responses ${statuses}`}\n\n${typeLine('body', shortType(analyzed.flow.responseType))}`,
      );
    }
    case 'datasource': {
      const datasource = analysis.datasource(name);
      return about(`Datasource **${name}** – ${datasource?.dialect ?? datasource?.type ?? 'unknown type'}`);
    }
    case 'authentication': {
      const type = analysis.config.authentications.find((one) => one.name.value === name)?.type;
      return about(`Authentication **${name}** – ${type ?? 'unknown type'}`);
    }
    case 'model': {
      const model = analysis.description?.models.get(name);
      const fields = [...(model?.properties.keys() ?? [])].join(', ');
      return about(`Model **${name}** of the API description${fields === '' ? '' : `: ${fields}`}`);
    }
  }
}
