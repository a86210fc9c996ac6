/** Types that plans use, re-exported for the emitters, which do not import from earlier stages. */
export type {
  Body,
  BodyField,
  BuiltRow,
  Entries,
  JoinStep,
  RowSource,
} from '../../analyze/mapping/body-parts.js';
export type { RequestUrl, UrlPiece } from '../../analyze/operations/requests/request-url.js';
export type { Limit, Pages, RequestSignature, Retry, Schema } from '../../read/config/config-model.js';
export type {
  Comparison,
  ComparisonOperator,
  EnvironmentVariable,
  Expression,
  PageFact,
  Path,
  Step,
  Syntax,
  Template,
} from '../../read/expression/ast.js';
export { inheritedNames } from '../../read/expression/inherited-names.js';
export { printExpression } from '../../read/expression/print-expression.js';
export {
  contains,
  isFile,
  isFiles,
  mapParts,
  nodesWithout,
  parts,
  isParameter,
  readsRequest,
} from '../../read/expression/visit.js';
export type { ApiSchema } from '../../read/openapi/api-model.js';
export { checkedFormat } from '../../read/openapi/schema-keywords.js';
export type { ParameterFormat } from '../../read/openapi/parameter-style.js';
export type { SqlPart } from '../../read/sql/rewrite/text-part.js';
export type { Digits } from '../../analyze/types/sent-digits.js';
export { allKinds, isAnything, type Kind, type ValueType } from '../../analyze/types/value-type.js';
