/** Generated TypeScript as a tree. Only `code.ts` creates nodes. */

declare const made: unique symbol;

/** The brand of nodes: strings and objects that merely resemble nodes do not type-check as code. */
export interface Made {
  readonly [made]: true;
}

interface Node<Kind extends string> extends Made {
  readonly kind: Kind;
}

/** Binary operators, loosest binding first. */
export type Operator =
  '=' | '??' | '||' | '&&' | '==' | '!=' | '===' | '!==' | '<' | '<=' | '>' | '>=' | '+' | '-' | '*';

/** An expression. Array and object literals also serve as destructuring patterns in declarations and assignments. */
export type Code =
  | Name
  | Literal
  | Template
  | Member
  | Call
  | Generic
  | Prefixed
  | Binary
  | Conditional
  | Arrow
  | ObjectCode
  | ArrayCode;

/** A variable, an imported symbol or a declared type. */
export interface Name extends Node<'name'> {
  readonly name: string;
}

export interface Literal extends Node<'literal'> {
  readonly value: string | number | boolean | null;
}

/** A template literal of strings and values, with an optional tag function. */
export interface Template extends Node<'template'> {
  readonly parts: readonly (string | Code)[];
  readonly tag: Name | undefined;
}

/** `object.key`, `object['a key']`, `object[0]`; with `?.` if the object may be missing, which short-circuits the whole chain. */
export interface Member extends Node<'member'> {
  readonly object: Code;
  readonly key: string | number;
  readonly isOptional: boolean;
}

export interface Call extends Node<'call'> {
  readonly callee: Code;
  readonly args: readonly Code[];
  readonly isNew: boolean;
}

/** `Row<'id'>`, `db.read<BookRow>`: a type or a function with type arguments. */
export interface Generic extends Node<'generic'> {
  readonly of: Name | Member;
  readonly types: readonly Type[];
}

export interface Prefixed extends Node<'prefixed'> {
  readonly operator: '!' | 'await';
  readonly operand: Code;
}

export interface Binary extends Node<'binary'> {
  readonly operator: Operator;
  readonly left: Code;
  readonly right: Code;
}

export interface Conditional extends Node<'conditional'> {
  readonly test: Code;
  readonly then: Code;
  readonly otherwise: Code;
}

/** A function whose body is an expression or statements. */
export interface Arrow extends Node<'arrow'> {
  readonly parameters: readonly Parameter[];
  readonly body: Code | readonly Statement[];
  readonly isAsync: boolean;
  readonly returns: Type | undefined;
}

export interface ObjectCode extends Node<'object'> {
  readonly fields: readonly (Field | Comment | Doc)[];
  /** Whether each field is on a separate line. */
  readonly isTall: boolean;
}

export interface ArrayCode extends Node<'array'> {
  /** Undefined for an element that a pattern skips. */
  readonly items: readonly (Code | undefined)[];
  readonly isTall: boolean;
}

export interface Field extends Node<'field'> {
  readonly key: string | number;
  readonly value: Code;
}

export interface Parameter extends Node<'parameter'> {
  /** A name, or a pattern such as `[first]`. */
  readonly name: Name | ArrayCode;
  readonly type: Type | undefined;
  /** Whether it is the list of all remaining arguments. */
  readonly isRest?: true;
  /** The value of a missing argument. */
  readonly otherwise?: Code | undefined;
}

/** A statement, or a module-level declaration. */
export type Statement =
  | Import
  | Declaration
  | Run
  | If
  | ForOf
  | Try
  | Return
  | Throw
  | Break
  | Block
  | FunctionDeclaration
  | TypeDeclaration
  | InterfaceDeclaration
  | Exported
  | Comment
  | Doc
  | Blank;

/** `import { a, type B } from './module.js'`; if all names are types, `import type { B } from …`. */
export interface Import extends Node<'import'> {
  readonly names: readonly ImportedName[];
  readonly specifier: string;
}

export interface ImportedName {
  readonly name: string;
  /** The local name in the importing module, if different. */
  readonly local?: string | undefined;
  readonly isType: boolean;
}

export interface Declaration extends Node<'declaration'> {
  readonly keyword: 'const' | 'let';
  readonly target: Code;
  readonly type: Type | undefined;
  readonly value: Code | undefined;
}

/** An expression as a statement. */
export interface Run extends Node<'run'> {
  readonly code: Code;
}

export interface If extends Node<'if'> {
  readonly test: Code;
  readonly then: readonly Statement[];
  /** Another `if`, or a block; undefined without `else`. */
  readonly otherwise: If | Block | undefined;
  /** Whether the statement follows on the same line: always, never, or if there is space. */
  readonly isFlat: boolean | 'if short';
}

export interface ForOf extends Node<'for'> {
  readonly element: Code;
  readonly of: Code;
  readonly body: readonly Statement[];
  readonly awaits: boolean;
}

/** `try { … } catch (error) { … }`. */
export interface Try extends Node<'try'> {
  readonly body: readonly Statement[];
  readonly error: Name;
  readonly handler: readonly Statement[];
}

export interface Return extends Node<'return'> {
  readonly value: Code;
}

export interface Throw extends Node<'throw'> {
  readonly value: Code;
}

export type Break = Node<'break'>;

export interface Block extends Node<'block'> {
  readonly body: readonly Statement[];
}

export interface FunctionDeclaration extends Node<'function'> {
  readonly name: Name;
  readonly parameters: readonly Parameter[];
  readonly returns: Type;
  readonly body: readonly Statement[];
  readonly isAsync: boolean;
}

export interface TypeDeclaration extends Node<'type'> {
  readonly name: Name;
  readonly type: Type;
}

/** `interface Invoice { id: number }`. */
export interface InterfaceDeclaration extends Node<'interface'> {
  readonly name: Name;
  readonly type: RecordType;
}

/** A declaration exported to other modules. */
export interface Exported extends Node<'export'> {
  readonly declaration: Declaration | FunctionDeclaration | TypeDeclaration | InterfaceDeclaration;
}

/** `// text`, on separate lines. */
export interface Comment extends Node<'comment'> {
  readonly text: string;
}

/** A doc comment of one or more lines. */
export interface Doc extends Node<'doc'> {
  readonly lines: readonly string[];
}

/** An empty line. */
export type Blank = Node<'blank'>;

/** A type: `string`, `Row<'id'>`, `number | null`, `Json[]`, `[string, number]`, `{ id: number }`, `typeof datasources`. */
export type Type =
  Name | Literal | Generic | Union | Intersection | ListType | TupleType | RecordType | TypeOf;

export interface Union extends Node<'union'> {
  readonly types: readonly Type[];
}

/** `A & B`. */
export interface Intersection extends Node<'intersection'> {
  readonly types: readonly Type[];
}

export interface ListType extends Node<'list'> {
  readonly of: Type;
}

export interface TupleType extends Node<'tuple'> {
  readonly elements: readonly Type[];
}

export interface RecordType extends Node<'record'> {
  readonly fields: readonly FieldType[];
  /** The type of all other fields: `[name: string]: unknown`. */
  readonly others?: Type | undefined;
  /** Whether its fields are on one line if they fit. */
  readonly isFlat?: boolean | undefined;
}

export interface FieldType {
  readonly key: string;
  readonly type: Type;
  readonly isOptional?: boolean;
  /** The line of its doc comment. */
  readonly doc?: string | undefined;
}

export interface TypeOf extends Node<'typeof'> {
  readonly name: Name;
}

/** Any node. */
export type AnyNode = Code | Statement | Type | Field | Parameter;
