/** Strings of the configuration in the YAML of manifests, which only this file writes there. */
import { stringLiteral } from '../module/literal.js';

/** A scalar in double quotes for any text: a JSON string is one in YAML too. */
export function yamlString(text: string): string {
  return stringLiteral(text);
}

/** An argument of a container; Kubernetes would put the value of a variable in place of `$(NAME)`. */
export function containerArgument(text: string): string {
  return yamlString(text.replaceAll('$', '$$$$'));
}

/**
 * A template with its holes filled. A hole that is alone on its line accepts any number of lines, each with the indentation of the hole;
 * without any, the line is removed.
 */
export function fillTemplate(
  template: string,
  holes: Readonly<Record<string, string | readonly string[]>>,
): string {
  const passed = (hole: string): string | readonly string[] => {
    const value = holes[hole];
    if (value === undefined) throw new Error(`A template has a hole '${hole}' that nothing fills.`);
    return value;
  };
  // In one pass: a text that fills a hole is never looked at again.
  return template.replaceAll(
    /^( *)\{\{(\w+)\}\}\n|\{\{(\w+)\}\}/gm,
    (_, indent: string | undefined, lines: string | undefined, inline: string | undefined) =>
      indent === undefined || lines === undefined
        ? [passed(inline ?? '')].flat().join('\n')
        : [passed(lines)]
            .flat()
            .map((line) => `${indent}${line}\n`)
            .join(''),
  );
}
