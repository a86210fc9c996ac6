/** Checks the values of a test for invalid patterns, and for references to values that no earlier step has kept. */
import type { Node, ScalarNode } from '../../../read/config/yaml/node.js';
import type { Report } from '../../../read/diagnostics/report.js';
import { nearest } from '../../../read/diagnostics/suggest.js';
import { patternOf, valueKinds } from './value-patterns.js';

/** `:[name]`: a kept value. */
export const keptValue = /:\[([^[\]]*)\]/g;

/** `kept`: names of values kept by earlier steps. */
export function checkValue(node: Node, report: Report, kept: readonly string[]): void {
  if (node.kind === 'map') for (const { value } of node.entries) checkValue(value, report, kept);
  else if (node.kind === 'list') for (const item of node.items) checkValue(item, report, kept);
  else if (typeof node.value === 'string') checkText(node, report, kept);
}

function checkText(node: ScalarNode, report: Report, kept: readonly string[]): void {
  const { value } = node.text;
  for (const [, name = ''] of value.matchAll(keptValue)) {
    if (kept.includes(name)) continue;
    const near = nearest(name, kept);
    report.add('test-value', node.span, {
      problem: `No earlier step keeps '${name}'.`,
      hint:
        near === undefined
          ? `Write in an earlier step: keep: { ${name}: $.id }`
          : `Did you mean ':[${near}]'?`,
    });
  }
  const pattern = patternOf(value);
  if (pattern.kind === 'unknown-kind') {
    const near = nearest(pattern.name, Object.keys(valueKinds));
    report.add('test-value', node.span, {
      problem: `'<${pattern.name}>' is not a placeholder.`,
      hint:
        near === undefined
          ? `Write one of ${Object.keys(valueKinds)
              .map((name) => `<${name}>`)
              .join(', ')}. For the string itself write '\\<${pattern.name}>'.`
          : `Did you mean '<${near}>'?`,
      instead: near && `<${near}>`,
    });
  }
  if (pattern.kind === 'bad-regex')
    report.add('test-value', node.span, {
      problem: `This is not a regular expression: ${pattern.reason}.`,
      hint: `A value between slashes is a regular expression. For the string itself write a backslash first: '\\${value}'`,
    });
}
