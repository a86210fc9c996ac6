/** What plans are made of, for whoever writes them down: emitters import it from here, and nothing from the stages before. */
export type { Body, BodyField, BuiltRow, Entries, JoinStep, RowSource } from '../mapping/body-parts.js';
export type { RequestUrl, UrlPiece } from '../analyze/request-url.js';
export type { Schema } from '../config/config-model.js';
export type {
  Comparison,
  ComparisonOperator,
  Expression,
  Path,
  Step,
  Syntax,
  Template,
} from '../expression/ast.js';
export { inheritedNames } from '../expression/inherited-names.js';
export { printExpression } from '../expression/print-expression.js';
export { contains } from '../expression/visit.js';
export type { ApiSchema } from '../openapi/api-model.js';
export type { ParameterFormat } from '../openapi/parameter-style.js';
export type { SqlPart } from '../sql/text-part.js';
export { allKinds, isAnything, type Kind, type ValueType } from '../types/value-type.js';
