/** Types and parameters of generated code as documents of prettier, as prettier prints them. */
import type { Parameter, Spaced, Type } from './code-tree.js';
import { UnknownCode } from './code-scanner.js';
import { group, hardline, ifBreak, indent, join, line, removeLines, softline, type Doc } from './doc.js';

export function printType(type: Type, isIndented = true): Doc {
  switch (type.kind) {
    case 'plain':
      return type.text;
    case 'typeof':
      return `typeof ${type.name}`;
    case 'array': {
      const of = printType(type.of);
      if (type.of.kind === 'typeof') return ['(', of, ')[]'];
      return type.of.kind === 'union' ? ['(', unionIn(type.of.types), ')[]'] : [of, '[]'];
    }
    case 'reference':
      return [type.name, printTypeArguments(type.types)];
    case 'union':
      if (isHugged(type.types))
        return join(
          ' | ',
          type.types.map((one) => printType(one)),
        );
      return isIndented ? group(indent([softline, union(type.types)])) : union(type.types);
    case 'fields': {
      if (type.fields.length === 0) return '{}';
      const last = type.fields.length - 1;
      const fields = type.fields.map((field, index): Doc => {
        const text = group([field.key, ': ', printType(field.type)]);
        const before = index === 0 ? '' : [line, field.isAfterBlank ? hardline : ''];
        return [before, printComments(field), text, index === last ? ifBreak(';') : ';'];
      });
      return group(['{', indent([line, ...fields]), line, '}'], type.isLong);
    }
  }
}

function unionIn(types: readonly Type[]): Doc {
  return group([indent([softline, union(types)]), softline]);
}

function union(types: readonly Type[]): Doc {
  if (types.some(({ kind }) => kind === 'union')) throw new UnknownCode();
  return group(
    types.map((type, index): Doc => [index === 0 ? ifBreak('| ') : [line, '| '], indent(printType(type))]),
  );
}

/** One object and otherwise null: it is written like the object alone. */
export function isHugged(types: readonly Type[]): boolean {
  const objects = types.filter(({ kind }) => kind === 'fields' || kind === 'reference');
  return objects.length === 1 && types.every((type) => objects.includes(type) || isNull(type));
}

function isNull(type: Type): boolean {
  return type.kind === 'plain' && (type.text === 'null' || type.text === 'void');
}

export function printTypeArguments(types: readonly Type[]): Doc {
  const [first, ...others] = types;
  if (first === undefined) return '';
  if (others.length === 0 && isInlined(first)) return ['<', printType(first), '>'];
  const printed = types.map((type) => printType(type, false));
  return group(['<', indent([softline, join([',', line], printed)]), softline, '>']);
}

function isInlined(type: Type): boolean {
  if (type.kind === 'union') return isHugged(type.types);
  return (
    type.kind === 'plain' || type.kind === 'fields' || (type.kind === 'reference' && type.types.length === 0)
  );
}

/** Of a function; `flat` where it is the last argument of a call, whose own parts break instead. */
export function printParameters(
  parameters: readonly Parameter[],
  print: (parameter: Parameter) => Doc,
  isFlat = false,
): Doc {
  if (parameters.length === 0) return '()';
  const printed = parameters.map(print);
  const [only, ...others] = parameters;
  const isOnly = others.length === 0;
  if (isFlat) return group(removeLines(['(', join([',', line], printed), ')']));
  if (isOnly && (only?.target.kind !== 'name' || only.type?.kind === 'fields')) return ['(', printed, ')'];
  return ['(', indent([softline, join([',', line], printed)]), ifBreak(','), softline, ')'];
}

export function printComments({ comments }: Spaced): Doc {
  return comments.map(({ text, isBeforeBlank }): Doc => {
    if (text.startsWith('//')) return [text.trimEnd(), hardline, isBeforeBlank ? hardline : ''];
    const [first = '', ...lines] = text.split('\n');
    if (lines.some((one) => !one.trimStart().startsWith('*'))) throw new UnknownCode();
    const written = [first.trimEnd(), ...lines.map((one) => ` ${one.trim()}`)];
    return [join(hardline, written), hardline, isBeforeBlank ? hardline : ''];
  });
}
