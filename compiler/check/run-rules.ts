/** The checks behind reading, in one list. Their order does not matter: diagnostics are told in file order. */
import type { Config } from '../config/config-model.js';
import type { Report } from '../diagnostics/report.js';
import type { ApiDescription } from '../openapi/api-model.js';
import { ServiceTypes } from '../types/service-types.js';
import type { Rule } from './rule.js';
import { apiEndpoint } from './rules/api-endpoint.js';
import { authentication } from './rules/authentication.js';
import { baseUrl } from './rules/base-url.js';
import { bodyWithoutContent } from './rules/body-without-content.js';
import { decidedCondition } from './rules/decided-condition.js';
import { commitsInsideTransaction } from './rules/commits-inside-transaction.js';
import { defaultResponse } from './rules/default-response.js';
import { duplicateEndpoint } from './rules/duplicate-endpoint.js';
import { duplicateName } from './rules/duplicate-name.js';
import { environmentCollision } from './rules/environment-collision.js';
import { fileOutsideMultipart } from './rules/file-outside-multipart.js';
import { fulfillmentName } from './rules/fulfillment-name.js';
import { inFirstRow } from './rules/in-first-row.js';
import { join } from './rules/join.js';
import { keyOutOfOrder } from './rules/key-out-of-order.js';
import { loop } from './rules/loop.js';
import { mapping } from './rules/mapping.js';
import { neitherResponseNorTrigger } from './rules/neither-response-nor-trigger.js';
import { pathIntoText } from './rules/path-into-text.js';
import { reference } from './rules/reference.js';
import { requestBody } from './rules/request-body.js';
import { requestHeader } from './rules/request-header.js';
import { requestUrl } from './rules/request-url.js';
import { reservedPath } from './rules/reserved-path.js';
import { responseWithoutBody } from './rules/response-without-body.js';
import { schedule } from './rules/schedule.js';
import { settingOutsideTransaction } from './rules/setting-outside-transaction.js';
import { sizeWithoutParentheses } from './rules/size-without-parentheses.js';
import { sqlValues } from './rules/sql-values.js';
import { statusWithoutRequest } from './rules/status-without-request.js';
import { textBesideNumber } from './rules/text-beside-number.js';
import { undescribedStatus } from './rules/undescribed-status.js';
import { unknownField } from './rules/unknown-field.js';
import { unknownFulfillment } from './rules/unknown-fulfillment.js';
import { unknownParameter } from './rules/unknown-parameter.js';
import { unreadPathParameter } from './rules/unread-path-parameter.js';
import { updateResult } from './rules/update-result.js';
import { wrongCredential } from './rules/wrong-credential.js';

const rules: readonly Rule[] = [
  authentication,
  baseUrl,
  bodyWithoutContent,
  decidedCondition,
  commitsInsideTransaction,
  defaultResponse,
  duplicateEndpoint,
  duplicateName,
  environmentCollision,
  fileOutsideMultipart,
  fulfillmentName,
  inFirstRow,
  join,
  keyOutOfOrder,
  loop,
  neitherResponseNorTrigger,
  reference,
  requestBody,
  requestHeader,
  requestUrl,
  reservedPath,
  schedule,
  settingOutsideTransaction,
  sizeWithoutParentheses,
  sqlValues,
  statusWithoutRequest,
  textBesideNumber,
  unknownField,
  unknownFulfillment,
  unreadPathParameter,
  updateResult,
  wrongCredential,
];

/** Those that compare the configuration with the API description. */
const descriptionRules: readonly Rule[] = [
  apiEndpoint,
  mapping,
  pathIntoText,
  responseWithoutBody,
  undescribedStatus,
  unknownParameter,
];

/** `isWhole` is false where there is an API description of which a part could not be read. */
export function check(
  config: Config,
  report: Report,
  description?: ApiDescription,
  isWhole = true,
  types = new ServiceTypes(config, description),
): void {
  for (const rule of isWhole ? [...rules, ...descriptionRules] : rules)
    rule(config, report, description, types);
}
