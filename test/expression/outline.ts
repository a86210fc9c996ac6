/** Expression trees and diagnostics as text, for the tables of fixtures/expressions. */
import type { Diagnostic } from '../../compiler/read/diagnostics/diagnostic.js';
import type { Expression, Path } from '../../compiler/read/expression/ast.js';

/** A tree as an s-expression: `(> (size (value news $)) (number 0))`. */
export function outline(node: Expression): string {
  switch (node.kind) {
    case 'text':
    case 'number':
    case 'boolean':
      return `(${node.kind} ${JSON.stringify(node.value)})`;
    case 'null':
      return '(null)';
    case 'param':
      return node.path.length === 0
        ? `(param ${word(node.name)})`
        : `(param ${word(node.name)} ${path(node.path)})`;
    case 'sent':
      return `(${node.place} ${word(node.name)})`;
    case 'query-map':
      return '(query)';
    case 'body':
    case 'caller':
    case 'error':
    case 'element':
      return `(${node.kind} ${path(node.path)})`;
    case 'value':
      return `(value ${word(node.name)} ${path(node.path)})`;
    case 'result':
    case 'status':
    case 'failure':
    case 'next':
      return `(${node.kind} ${word(node.name)})`;
    case 'paging':
      return `(${node.fact} ${word(node.name)}${node.relation === undefined ? '' : ` ${node.relation}`})`;
    case 'code':
      return `(code ${[word(node.function), ...node.input.map(outline)].join(' ')})`;
    case 'response-header':
      return `(response-header ${word(node.name)} ${word(node.header)})`;
    case 'multipart-file':
      return `(multipart-file ${word(node.part)}${node.path.length === 0 ? '' : ` ${path(node.path)}`})`;
    case 'value-by-index':
      return `(value-by-index ${word(node.name)} ${outline(node.index)} ${path(node.path)})`;
    case 'status-by-index':
    case 'failure-by-index':
      return `(${node.kind} ${word(node.name)} ${outline(node.index)})`;
    case 'list':
      return `(list ${outline(node.count)})`;
    case 'size':
    case 'if-match':
    case 'sha256':
    case 'length':
    case 'lower':
    case 'hash':
    case 'outdated':
      return `(${node.kind} ${outline(node.of)})`;
    case 'verify':
      return `(verify ${outline(node.value)} ${outline(node.hash)})`;
    case 'token': {
      const lifetime = node.lifetime === undefined ? '' : ` ${word(node.lifetime.value)}`;
      return `(token ${word(node.authentication)} ${outline(node.of)}${lifetime})`;
    }
    case 'random':
      return `(random ${node.bytes} ${node.form})`;
    case 'concat':
    case 'coalesce':
      return `(${[node.kind, ...node.parts.map(outline)].join(' ')})`;
    case 'now':
    case 'uuid':
    case 'address':
      return `(${node.kind})`;
    case 'variable':
      return `(env ${[word(node.name), ...node.byDefault.map(outline)].join(' ')})`;
    case 'not':
      return `(! ${outline(node.operand)})`;
    case 'arithmetic':
    case 'comparison':
    case 'logical':
      return `(${node.operator} ${outline(node.left)} ${outline(node.right)})`;
  }
}

function word(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : JSON.stringify(text);
}

function path(steps: Path): string {
  const written = steps.map((step) => {
    if (step.kind === 'all') return '[*]';
    return step.kind === 'index' ? `[${step.index}]` : `.${word(step.name)}`;
  });
  return `$${written.join('')}`;
}

/** A one-line text, followed by each diagnostic with its position marked. */
export function annotated(text: string, diagnostics: readonly Diagnostic[]): string {
  const lines = diagnostics.flatMap(({ code, message, hint, span }) => [
    `${' '.repeat(span.start)}${'~'.repeat(Math.max(0, span.end - span.start))}`,
    `${code}: ${message}`,
    ...(hint === undefined ? [] : [`hint: ${hint}`]),
  ]);
  return [text, ...lines, ''].join('\n');
}
