/** Prints trees as TypeScript, with brackets only where operator precedence requires them. Layout is left to the formatter. */
import {
  commentText,
  isPropertyName,
  lineComment,
  moduleCode,
  numberLiteral,
  propertyKey,
  stringLiteral,
  templateText,
} from '../../notation/typescript-writer.js';
import type { Written } from '../../notation/written.js';
import type {
  Arrow,
  Call,
  Code,
  Declaration,
  Field,
  FieldType,
  FunctionDeclaration,
  If,
  Import,
  Member,
  ObjectCode,
  Operator,
  Parameter,
  Statement,
  Template,
  Type,
} from './nodes.js';
import { isStatements } from './code-parts.js';

/** Binding strength of code: code in a position that requires a higher number is put in brackets. */
const binding = { assignment: 1, conditional: 2, prefix: 10, access: 11, whole: 12 } as const;

const operators: Readonly<Record<Operator, number>> = {
  ...{ '=': binding.assignment },
  ...{ '??': 3, '||': 4, '&&': 5 },
  ...{ '==': 6, '!=': 6, '===': 6, '!==': 6 },
  ...{ '<': 7, '<=': 7, '>': 7, '>=': 7 },
  ...{ '+': 8, '-': 8, '*': 9 },
};

/** Prints a module's groups of statements, separated by blank lines. */
export function printModule(groups: readonly (readonly Statement[])[]): Written<'typescript'> {
  return moduleCode(`${groups.map(printStatements).join('\n\n')}\n`);
}

/** The printed code; equal trees print identically. */
export function printCode(code: Code): string {
  switch (code.kind) {
    case 'name':
      return code.name;
    case 'literal':
      return printLiteral(code.value);
    case 'template':
      return printTemplate(code);
    case 'member':
      return printMember(code);
    case 'call':
      return printCall(code);
    case 'generic':
      return `${printCode(code.of)}<${code.types.map((type) => printType(type)).join(', ')}>`;
    case 'prefixed': {
      const operand = printIn(code.operand, binding.prefix);
      return code.operator === '!' ? `!${operand}` : `await ${operand}`;
    }
    case 'binary': {
      const { operator, left, right } = code;
      return `${printOperand(left, operator, 'left')} ${operator} ${printOperand(right, operator, 'right')}`;
    }
    case 'conditional': {
      const test = printIn(code.test, binding.conditional + 1);
      return `${test} ? ${printIn(code.then, binding.assignment)} : ${printIn(code.otherwise, binding.assignment)}`;
    }
    case 'arrow':
      return printArrow(code);
    case 'object':
      return printFields(code.fields, code.isTall);
    case 'array': {
      const items = code.items.map((item) => (item === undefined ? '' : printCode(item)));
      return code.isTall ? `[\n${items.join(',\n')},\n]` : `[${items.join(', ')}]`;
    }
  }
}

function bindingOf(code: Code): number {
  switch (code.kind) {
    case 'arrow':
      return binding.assignment;
    case 'binary':
      return operators[code.operator];
    case 'conditional':
      return binding.conditional;
    case 'prefixed':
      return binding.prefix;
    case 'literal':
      // After digits, a dot would be part of the number.
      return typeof code.value !== 'number' ? binding.whole : binding.prefix;
    case 'member':
    case 'call':
    case 'generic':
    case 'template':
      return binding.access;
    case 'name':
    case 'object':
    case 'array':
      return binding.whole;
  }
}

/** The printed code, in brackets if it binds less tightly than the position requires. */
function printIn(code: Code, least: number): string {
  const text = printCode(code);
  return bindingOf(code) < least ? `(${text})` : text;
}

/** Operators associate to the left, assignments to the right. JavaScript does not allow mixing `??` with `&&` or `||` without brackets. */
function printOperand(operand: Code, operator: Operator, side: 'left' | 'right'): string {
  const own = operators[operator];
  if (operator === '=') return printIn(operand, side === 'left' ? own + 1 : own);
  const isMixed = operand.kind === 'binary' && isDefault(operator) !== isDefault(operand.operator);
  const isLogical = own <= operators['&&'] && bindingOf(operand) <= operators['&&'];
  return printIn(operand, isMixed && isLogical ? binding.prefix : side === 'left' ? own : own + 1);
}

function isDefault(operator: Operator): boolean {
  return operator === '??';
}

function printLiteral(value: string | number | boolean | null): string {
  if (typeof value === 'string') return stringLiteral(value);
  return typeof value === 'number' ? numberLiteral(value) : String(value);
}

function printTemplate({ parts, tag }: Template): string {
  const joined: (string | Code)[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (typeof part === 'string' && typeof last === 'string') joined[joined.length - 1] = last + part;
    else joined.push(part);
  }
  const texts = joined.map((part) =>
    typeof part === 'string' ? templateText(part) : `\${${printCode(part)}}`,
  );
  return `${tag === undefined ? '' : printCode(tag)}\`${texts.join('')}\``;
}

function printMember({ object, key, isOptional }: Member): string {
  const start = printIn(object, binding.access);
  const dot = isOptional ? '?.' : '';
  if (typeof key === 'number') return `${start}${dot}[${numberLiteral(key)}]`;
  return isPropertyName(key) ? `${start}${dot || '.'}${key}` : `${start}${dot}[${stringLiteral(key)}]`;
}

function printCall({ callee, args, isNew }: Call): string {
  const passed = args.map((argument) => printIn(argument, binding.assignment)).join(', ');
  if (!isNew) return `${printIn(callee, binding.access)}(${passed})`;
  // `new (a.b())()`: an unbracketed call would end the callee.
  return `new ${isPlainCallee(callee) ? printCode(callee) : `(${printCode(callee)})`}(${passed})`;
}

function isPlainCallee(callee: Code): boolean {
  if (callee.kind === 'generic') return isPlainCallee(callee.of);
  if (callee.kind === 'member') return !callee.isOptional && isPlainCallee(callee.object);
  return callee.kind === 'name';
}

function printArrow({ parameters, body, isAsync, returns }: Arrow): string {
  const result = returns === undefined ? '' : `: ${printType(returns)}`;
  const head = `${isAsync ? 'async ' : ''}(${printParameters(parameters)})${result} => `;
  if (isStatements(body)) return head + printBlock(body);
  const text = printIn(body, binding.assignment);
  return head + (text.startsWith('{') ? `(${text})` : text);
}

function printParameters(parameters: readonly Parameter[]): string {
  return parameters
    .map(({ name, type, isRest, otherwise }) => {
      const text = `${isRest === true ? '...' : ''}${printIn(name, binding.assignment)}`;
      const typed = type === undefined ? text : `${text}: ${printType(type)}`;
      return otherwise === undefined ? typed : `${typed} = ${printIn(otherwise, binding.assignment)}`;
    })
    .join(', ');
}

function printFields(fields: ObjectCode['fields'], isTall: boolean): string {
  const texts = fields.map((one) => (one.kind === 'field' ? printField(one) : printStatement(one)));
  if (texts.length === 0) return '{}';
  if (!isTall) return `{ ${texts.join(', ')} }`;
  const lines = texts.map((text, index) => (fields[index]?.kind === 'field' ? `${text},` : text));
  return `{\n${lines.join('\n')}\n}`;
}

/** Prints the shorthand `id` if the value is the variable of that name. */
function printField({ key, value }: Field): string {
  if (typeof key === 'number') return `${key}: ${printIn(value, binding.assignment)}`;
  if (value.kind === 'name' && value.name === key && isPropertyName(key)) return key;
  return `${propertyKey(key)}: ${printIn(value, binding.assignment)}`;
}

/** Maximum length of a line with an `if` and its statement. */
const longestFlat = 90;

function printStatements(statements: readonly Statement[]): string {
  return statements.map(printStatement).join('\n');
}

function printBlock(body: readonly Statement[]): string {
  return `{\n${printStatements(body)}\n}`;
}

function printStatement(statement: Statement): string {
  switch (statement.kind) {
    case 'import':
      return printImport(statement);
    case 'declaration':
      return printDeclaration(statement);
    case 'run': {
      const text = printCode(statement.code);
      // At the start of a statement, a brace would open a block.
      return text.startsWith('{') ? `(${text});` : `${text};`;
    }
    case 'if':
      return printIf(statement);
    case 'for': {
      const { element, of, body, awaits } = statement;
      const list = printIn(of, binding.assignment);
      return `for ${awaits ? 'await ' : ''}(const ${printCode(element)} of ${list}) ${printBlock(body)}`;
    }
    case 'try':
      return `try ${printBlock(statement.body)} catch (${printCode(statement.error)}) ${printBlock(statement.handler)}`;
    case 'return':
      return `return ${printCode(statement.value)};`;
    case 'throw':
      return `throw ${printCode(statement.value)};`;
    case 'break':
      return 'break;';
    case 'block':
      return printBlock(statement.body);
    case 'function':
      return printFunction(statement);
    case 'type':
      return `type ${statement.name.name} = ${printType(statement.type)};`;
    case 'interface':
      return `interface ${statement.name.name} ${printType(statement.type)}`;
    case 'export':
      return `export ${printStatement(statement.declaration)}`;
    case 'comment':
      return lineComment(statement.text);
    case 'doc':
      return printDoc(statement.lines);
    case 'blank':
      return '';
  }
}

function printImport({ names, specifier }: Import): string {
  const onlyTypes = names.every(({ isType }) => isType);
  const listed = names.map(({ name, local = name, isType }) => {
    const renamed = local === name ? name : `${name} as ${local}`;
    return isType && !onlyTypes ? `type ${renamed}` : renamed;
  });
  const type = onlyTypes ? 'type ' : '';
  return `import ${type}{ ${listed.join(', ')} } from ${stringLiteral(specifier)};`;
}

function printDeclaration({ keyword, target, type, value }: Declaration): string {
  const typed = type === undefined ? '' : `: ${printType(type, ' ')}`;
  const set = value === undefined ? '' : ` = ${printIn(value, binding.assignment)}`;
  return `${keyword} ${printCode(target)}${typed}${set};`;
}

function printIf({ test, then, otherwise, isFlat }: If): string {
  const head = `if (${printCode(test)}) `;
  if (isFlat !== false) {
    const line = head + printStatements(then);
    if (isFlat === true || line.length <= longestFlat) return line;
  }
  const rest = otherwise === undefined ? '' : ` else ${printStatement(otherwise)}`;
  return `${head}${printBlock(then)}${rest}`;
}

function printFunction({ name, parameters, returns, body, isAsync }: FunctionDeclaration): string {
  const head = `${isAsync ? 'async ' : ''}function ${name.name}(${printParameters(parameters)})`;
  return `${head}: ${printType(returns)} ${printBlock(body)}`;
}

function printDoc(lines: readonly string[]): string {
  const texts = lines.map(commentText);
  if (texts.length === 1) return `/** ${texts.join('')} */`;
  return ['/**', ...texts.map((text) => (text === '' ? ' *' : ` * ${text}`)), ' */'].join('\n');
}

/** `between` separates the fields of records: on one line, as in a declaration, a formatter keeps them there if they fit. */
export function printType(type: Type, between: '\n' | ' ' = '\n'): string {
  const print = (one: Type): string => printType(one, between);
  switch (type.kind) {
    case 'name':
      return type.name;
    case 'literal':
      return printLiteral(type.value);
    case 'generic':
      return printCode(type);
    case 'union':
      return type.types.map(print).join(' | ');
    case 'intersection':
      return type.types.map((one) => (one.kind === 'union' ? `(${print(one)})` : print(one))).join(' & ');
    case 'list':
      return type.of.kind === 'union' || type.of.kind === 'intersection' || type.of.kind === 'typeof'
        ? `(${print(type.of)})[]`
        : `${print(type.of)}[]`;
    case 'tuple':
      return `[${type.elements.map(print).join(', ')}]`;
    case 'record': {
      const others = type.others === undefined ? [] : [`[name: string]: ${print(type.others)};`];
      const fields = [...type.fields.map((field) => printFieldType(field, print)), ...others];
      const separator = type.isFlat === true ? ' ' : between;
      return fields.length === 0 ? '{}' : `{${separator}${fields.join(separator)}${separator}}`;
    }
    case 'typeof':
      return `typeof ${type.name.name}`;
  }
}

function printFieldType(
  { key, type, isOptional = false, doc }: FieldType,
  print: (type: Type) => string,
): string {
  const comment = doc === undefined ? '' : `${printDoc([doc])}\n`;
  return `${comment}${propertyKey(key)}${isOptional ? '?' : ''}: ${print(type)};`;
}
