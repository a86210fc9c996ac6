/** Generated code as a tree: the part of TypeScript that the generator writes. */

export type Code =
  | Name
  | { readonly kind: 'number' | 'text'; readonly text: string }
  | { readonly kind: 'import'; readonly from: string }
  | Template
  | { readonly kind: 'tagged'; readonly tag: Code; readonly template: Template }
  | Member
  | Call
  | ObjectCode
  | { readonly kind: 'list'; readonly elements: readonly Code[] }
  | Arrow
  | { readonly kind: 'not' | 'minus' | 'await' | 'spread'; readonly operand: Code }
  | { readonly kind: 'binary'; readonly operator: string; readonly left: Code; readonly right: Code }
  | { readonly kind: 'choice'; readonly test: Code; readonly yes: Code; readonly no: Code }
  | { readonly kind: 'assignment'; readonly left: Code; readonly right: Code };

/** A variable, or `null`, `true` and `false`. */
export interface Name {
  readonly kind: 'name';
  readonly text: string;
}

export interface Template {
  readonly kind: 'template';
  /** One more than there are values. */
  readonly texts: readonly string[];
  readonly values: readonly Code[];
}

/** `of.name`, `of[index]` */
export interface Member {
  readonly kind: 'member';
  readonly of: Code;
  readonly name: string;
  readonly index?: Code;
  readonly isOptional: boolean;
}

export interface Call {
  readonly kind: 'call';
  readonly of: Code;
  readonly types: readonly Type[];
  readonly passed: readonly Code[];
  readonly isNew: boolean;
}

export interface ObjectCode {
  readonly kind: 'object';
  readonly fields: readonly Field[];
  /** Whether a line break follows its brace: then it stays on several lines. */
  readonly isLong: boolean;
}

/** `key: value`, or only a value: a shorthand, a spread. */
export interface Field extends Spaced {
  readonly key: string | undefined;
  readonly value: Code;
}

export interface Arrow {
  readonly kind: 'arrow';
  readonly isAsync: boolean;
  readonly parameters: readonly Parameter[];
  /** The type of the result, only without parameters. */
  readonly type: Type | undefined;
  readonly body: Code | Block;
}

export interface Parameter {
  readonly target: Code;
  readonly type: Type | undefined;
}

export type Type =
  | { readonly kind: 'plain'; readonly text: string }
  | { readonly kind: 'reference'; readonly name: string; readonly types: readonly Type[] }
  | { readonly kind: 'union'; readonly types: readonly Type[] }
  | { readonly kind: 'array'; readonly of: Type }
  | { readonly kind: 'typeof'; readonly name: string }
  | { readonly kind: 'fields'; readonly fields: readonly TypeField[]; readonly isLong: boolean };

export interface TypeField extends Spaced {
  readonly key: string;
  readonly type: Type;
}

/** What stands before a statement or a field. */
export interface Spaced {
  readonly comments: readonly Comment[];
  readonly isAfterBlank: boolean;
}

export interface Comment {
  readonly text: string;
  readonly isBeforeBlank: boolean;
}

export interface Block {
  readonly kind: 'block';
  readonly statements: readonly Statement[];
}

export type Statement = Spaced &
  (
    | {
        readonly kind: 'import';
        readonly isType: boolean;
        readonly names: readonly string[];
        readonly from: string;
      }
    | {
        readonly kind: 'variable';
        readonly isExported: boolean;
        readonly word: string;
        readonly target: Code;
        readonly type: Type | undefined;
        readonly value: Code | undefined;
      }
    | { readonly kind: 'type'; readonly isExported: boolean; readonly name: string; readonly type: Type }
    | {
        readonly kind: 'function';
        readonly isExported: boolean;
        readonly isAsync: boolean;
        readonly name: string;
        readonly parameters: readonly Parameter[];
        readonly type: Type | undefined;
        readonly body: Block;
      }
    | {
        readonly kind: 'if';
        readonly test: Code;
        readonly then: Block | Statement;
        readonly otherwise: Block | Statement | undefined;
      }
    | {
        readonly kind: 'for';
        readonly isAwait: boolean;
        readonly target: Code;
        readonly list: Code;
        readonly body: Block;
      }
    | { readonly kind: 'return' | 'throw'; readonly value: Code | undefined }
    | { readonly kind: 'break' | 'continue' }
    | { readonly kind: 'expression'; readonly value: Code }
  );
