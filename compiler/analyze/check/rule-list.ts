/** Every rule, one file each. The file has the name of its code, or of the first of its codes. */
import type { Rule } from './rule.js';
import { authenticationTwice } from './rules/authentication-twice.js';
import { authenticationsWithoutEndpoint } from './rules/authentications-without-endpoint.js';
import { bodyAndMultipart } from './rules/body-and-multipart.js';
import { bodyOfForm } from './rules/body-of-form.js';
import { bodyOfGet } from './rules/body-of-get.js';
import { bodyWithoutContent } from './rules/body-without-content.js';
import { bodyWithoutMethod } from './rules/body-without-method.js';
import { concurrencyWithLoopbreak } from './rules/concurrency-with-loopbreak.js';
import { conditionOnDefault } from './rules/condition-on-default.js';
import { constantIndex } from './rules/constant-index.js';
import { contentTypeDiffers } from './rules/content-type-differs.js';
import { duplicateEndpoint } from './rules/duplicate-endpoint.js';
import { duplicateFulfillment } from './rules/duplicate-fulfillment.js';
import { duplicateHeader } from './rules/duplicate-header.js';
import { duplicateResponse } from './rules/duplicate-response.js';
import { duplicateTrigger } from './rules/duplicate-trigger.js';
import { elementOutsideItem } from './rules/element-outside-item.js';
import { endpointWithoutOperation } from './rules/endpoint-without-operation.js';
import { environmentCollision } from './rules/environment-collision.js';
import { exceptionStatus } from './rules/exception-status.js';
import { expressionInText } from './rules/expression-in-text.js';
import { fileOutsideMultipart } from './rules/file-outside-multipart.js';
import { foreignJoin } from './rules/foreign-join.js';
import { getChangesData } from './rules/get-changes-data.js';
import { headerCharacters } from './rules/header-characters.js';
import { headerName } from './rules/header-name.js';
import { headerOrQuery } from './rules/header-or-query.js';
import { impossibleSchedule } from './rules/impossible-schedule.js';
import { indexOfLoop } from './rules/index-of-loop.js';
import { indexOutsideLoop } from './rules/index-outside-loop.js';
import { joinNeverUsed } from './rules/join-never-used.js';
import { joinTypeDiffers } from './rules/join-type-differs.js';
import { keyJoinedTwice } from './rules/key-joined-twice.js';
import { keyOutOfOrder } from './rules/key-out-of-order.js';
import { listAndItem } from './rules/list-and-item.js';
import { listOfRow } from './rules/list-of-row.js';
import { loopbreakOutsideLoop } from './rules/loopbreak-outside-loop.js';
import { managedHeader } from './rules/managed-header.js';
import { mappingNeverUsed } from './rules/mapping-never-used.js';
import { mappingsWithoutDescription } from './rules/mappings-without-description.js';
import { mappingsWithoutEndpoint } from './rules/mappings-without-endpoint.js';
import { missingDefaultResponse } from './rules/missing-default-response.js';
import { nearDuplicateEndpoint } from './rules/near-duplicate-endpoint.js';
import { neitherResponseNorTrigger } from './rules/neither-response-nor-trigger.js';
import { nestedInForm } from './rules/nested-in-form.js';
import { neverTrue } from './rules/never-true.js';
import { notAList } from './rules/not-a-list.js';
import { notYetRun } from './rules/not-yet-run.js';
import { nullableJoinKey } from './rules/nullable-join-key.js';
import { operationNeverCalled } from './rules/operation-never-called.js';
import { otherOrigin } from './rules/other-origin.js';
import { outsideLoop } from './rules/outside-loop.js';
import { ownResult } from './rules/own-result.js';
import { parameterOfBody } from './rules/parameter-of-body.js';
import { pathIntoText } from './rules/path-into-text.js';
import { pathParameterName } from './rules/path-parameter-name.js';
import { placeholderInOrigin } from './rules/placeholder-in-origin.js';
import { queryPerRow } from './rules/query-per-row.js';
import { readMethod } from './rules/read-method.js';
import { referenceCycle } from './rules/reference-cycle.js';
import { referenceInRequest } from './rules/reference-in-request.js';
import { referenceWithoutResponse } from './rules/reference-without-response.js';
import { relativeUrl } from './rules/relative-url.js';
import { reservedName } from './rules/reserved-name.js';
import { reservedPath } from './rules/reserved-path.js';
import { responseNeverUsed } from './rules/response-never-used.js';
import { responseType } from './rules/response-type.js';
import { responseWithoutBody } from './rules/response-without-body.js';
import { resultOfLoop } from './rules/result-of-loop.js';
import { sameAccount } from './rules/same-account.js';
import { sameSchedule } from './rules/same-schedule.js';
import { secretInRequest } from './rules/secret-in-request.js';
import { secretInUrl } from './rules/secret-in-url.js';
import { selfJoin } from './rules/self-join.js';
import { severalDefaultResponses } from './rules/several-default-responses.js';
import { sizeWithoutParentheses } from './rules/size-without-parentheses.js';
import { sqlCommits } from './rules/sql-commits.js';
import { sqlGroupDiffers } from './rules/sql-group-differs.js';
import { sqlInFirstRow } from './rules/sql-in-first-row.js';
import { sqlNeedsCast } from './rules/sql-needs-cast.js';
import { sqlNoJoin } from './rules/sql-no-join.js';
import { sqlOutsideTransaction } from './rules/sql-outside-transaction.js';
import { sqlRefused } from './rules/sql-refused.js';
import { sqlSameColumn } from './rules/sql-same-column.js';
import { sqlUpdateColumns } from './rules/sql-update-columns.js';
import { statusWithoutRequest } from './rules/status-without-request.js';
import { textBesideNumber } from './rules/text-beside-number.js';
import { timedParameter } from './rules/timed-parameter.js';
import { undescribedStatus } from './rules/undescribed-status.js';
import { unknownAuthentication } from './rules/unknown-authentication.js';
import { unknownEndpoint } from './rules/unknown-endpoint.js';
import { unknownColumn } from './rules/unknown-column.js';
import { unknownFulfillment } from './rules/unknown-fulfillment.js';
import { unknownModel } from './rules/unknown-model.js';
import { unknownModelField } from './rules/unknown-model-field.js';
import { unknownOperation } from './rules/unknown-operation.js';
import { unknownParameter } from './rules/unknown-parameter.js';
import { unknownTimezone } from './rules/unknown-timezone.js';
import { unnamedFulfillment } from './rules/unnamed-fulfillment.js';
import { unreachableInstruction } from './rules/unreachable-instruction.js';
import { unreadArgument } from './rules/unread-argument.js';
import { unreadDatasource } from './rules/unread-datasource.js';
import { unreadParameter } from './rules/unread-parameter.js';
import { unreadPathParameter } from './rules/unread-path-parameter.js';
import { unreadResult } from './rules/unread-result.js';
import { unusedAuthentication } from './rules/unused-authentication.js';
import { updateField } from './rules/update-field.js';
import { updateNeverEmpty } from './rules/update-never-empty.js';
import { urlFragment } from './rules/url-fragment.js';
import { urlWithoutDatabase } from './rules/url-without-database.js';
import { uselessTransaction } from './rules/useless-transaction.js';
import { valueByIndexWithoutIndex } from './rules/value-by-index-without-index.js';
import { valueNeverFits } from './rules/value-never-fits.js';
import { wholeUrl } from './rules/whole-url.js';
import { wrongBaseUrl } from './rules/wrong-base-url.js';
import { wrongCredential } from './rules/wrong-credential.js';
import { wrongCron } from './rules/wrong-cron.js';
import { wrongJoin } from './rules/wrong-join.js';
import { wrongRequestUrl } from './rules/wrong-request-url.js';

/** Those that look at the configuration alone, or at as much of the API description as could be read. */
export const rules: readonly Rule[] = [
  authenticationTwice,
  authenticationsWithoutEndpoint,
  bodyAndMultipart,
  bodyOfForm,
  bodyOfGet,
  bodyWithoutContent,
  bodyWithoutMethod,
  concurrencyWithLoopbreak,
  conditionOnDefault,
  constantIndex,
  contentTypeDiffers,
  duplicateEndpoint,
  duplicateFulfillment,
  duplicateHeader,
  duplicateResponse,
  duplicateTrigger,
  elementOutsideItem,
  environmentCollision,
  exceptionStatus,
  expressionInText,
  fileOutsideMultipart,
  foreignJoin,
  getChangesData,
  headerCharacters,
  headerName,
  headerOrQuery,
  impossibleSchedule,
  indexOfLoop,
  indexOutsideLoop,
  keyOutOfOrder,
  listAndItem,
  listOfRow,
  loopbreakOutsideLoop,
  managedHeader,
  missingDefaultResponse,
  nearDuplicateEndpoint,
  neitherResponseNorTrigger,
  nestedInForm,
  neverTrue,
  notAList,
  notYetRun,
  operationNeverCalled,
  otherOrigin,
  outsideLoop,
  ownResult,
  parameterOfBody,
  placeholderInOrigin,
  queryPerRow,
  readMethod,
  referenceCycle,
  referenceInRequest,
  referenceWithoutResponse,
  relativeUrl,
  reservedName,
  reservedPath,
  responseNeverUsed,
  resultOfLoop,
  sameAccount,
  sameSchedule,
  secretInRequest,
  secretInUrl,
  selfJoin,
  severalDefaultResponses,
  sizeWithoutParentheses,
  sqlCommits,
  sqlGroupDiffers,
  sqlInFirstRow,
  sqlNeedsCast,
  sqlNoJoin,
  sqlOutsideTransaction,
  sqlRefused,
  sqlSameColumn,
  sqlUpdateColumns,
  statusWithoutRequest,
  textBesideNumber,
  timedParameter,
  unknownAuthentication,
  unknownColumn,
  unknownFulfillment,
  unknownOperation,
  unknownTimezone,
  unnamedFulfillment,
  unreachableInstruction,
  unreadArgument,
  unreadDatasource,
  unreadPathParameter,
  unreadResult,
  unusedAuthentication,
  updateField,
  updateNeverEmpty,
  urlFragment,
  urlWithoutDatabase,
  uselessTransaction,
  valueByIndexWithoutIndex,
  valueNeverFits,
  wholeUrl,
  wrongBaseUrl,
  wrongCredential,
  wrongCron,
  wrongJoin,
  wrongRequestUrl,
];

/** Rules that need an API description and report that it is missing. */
export const rulesOfAbsence: readonly Rule[] = [mappingsWithoutDescription, pathIntoText];

/** Those that compare the configuration with the API description, where it is absent or could be read as a whole. */
export const descriptionRules: readonly Rule[] = [
  endpointWithoutOperation,
  joinNeverUsed,
  joinTypeDiffers,
  keyJoinedTwice,
  mappingNeverUsed,
  mappingsWithoutEndpoint,
  nullableJoinKey,
  pathParameterName,
  responseType,
  responseWithoutBody,
  undescribedStatus,
  unknownEndpoint,
  unknownModel,
  unknownModelField,
  unknownParameter,
  unreadParameter,
];
