/** Paths into values: plain property access where it says the same, a helper of the runtime elsewhere. */
import type { Path, Step } from '../plan/model.js';
import { argument, operand, type Code } from './code.js';
import { isPropertyName, stringLiteral } from './literal.js';
import type { Module } from './module.js';

/** Names that every object inherits: only a helper that looks at own properties may read them. */
const inherited = new Set(Object.getOwnPropertyNames(Object.prototype));

export function readPath(value: Code, path: Path, module: Module): Code {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (value.type === 'rows') return readRows(value, step, rest, module);
  if (value.type === 'row' && step.kind === 'name' && !inherited.has(step.name)) {
    const field = `${operand(value)}${value.nullable === true ? '?' : ''}${access(step.name, value.nullable === true)}`;
    return readPath({ text: `${field} ?? null`, loose: field, type: 'json', compound: true }, rest, module);
  }
  return helper(value, path, module);
}

/** On a result a name reads from its first entry, a number an entry. */
function readRows(rows: Code, step: Step, rest: Path, module: Module): Code {
  const dot = rows.nullable === true ? '?.' : '';
  if (step.kind === 'name') {
    if (inherited.has(step.name)) return helper(rows, [step, ...rest], module);
    const field = `${operand(rows)}${dot}[0]?${access(step.name, true)}`;
    return readPath({ text: `${field} ?? null`, loose: field, type: 'json', compound: true }, rest, module);
  }
  if (step.kind === 'all' || (rest.length > 0 && rest[0]?.kind !== 'name'))
    return helper(rows, [step, ...rest], module);
  const entry = step.index < 0 ? `${dot || '.'}at(${step.index})` : `${dot}[${step.index}]`;
  const text = `${operand(rows)}${entry}`;
  const [field, ...deeper] = rest;
  if (field?.kind !== 'name') {
    const missing = { size: sizeOfRows(rows), most: step.index < 0 ? -step.index - 1 : step.index };
    return { text: `${text} ?? null`, loose: text, type: 'object', compound: true, missing };
  }
  if (inherited.has(field.name)) return helper(rows, [step, ...rest], module);
  const read = `${text}?${access(field.name, true)}`;
  return readPath({ text: `${read} ?? null`, loose: read, type: 'json', compound: true }, deeper, module);
}

/** How many rows there are. */
export function sizeOfRows(rows: Code): Code {
  if (rows.nullable !== true) return { text: `${operand(rows)}.length`, type: 'number' };
  return { text: `${operand(rows)}?.length ?? 0`, type: 'number', compound: true };
}

/** `.name` or `['any name']`; behind a question mark the brackets need a dot of their own. */
function access(name: string, optional: boolean): string {
  return isPropertyName(name) ? `.${name}` : `${optional ? '.' : ''}[${stringLiteral(name)}]`;
}

function helper(value: Code, path: Path, module: Module): Code {
  const steps = path.map((step) => {
    switch (step.kind) {
      case 'name':
        return stringLiteral(step.name);
      case 'index':
        return String(step.index);
      case 'all':
        return module.runtime('every');
    }
  });
  return { text: `${module.runtime('get')}(${[argument(value), ...steps].join(', ')})`, type: 'json' };
}
