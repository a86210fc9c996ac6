/** The fields of test files, in the order in which they are documented. */

/** The fields of each test and each step: what is sent, and what is expected of it. */
const fieldsOfCall = [
  ...(['request', 'query', 'header', 'body', 'bodyText', 'form', 'multipart', 'authentication'] as const),
  ...(['claims', 'key', 'operationName', 'parameters', 'trigger', 'datasources'] as const),
  ...(['response', 'rowsAfter', 'keep'] as const),
] as const;

export const testFields = {
  'a test file': ['tests', 'environment'],
  'a test': ['name', 'seed', 'now', 'uuids', 'rows', 'steps', ...fieldsOfCall],
  'a step': ['name', 'now', ...fieldsOfCall],
  'an expected response': ['statuscode', 'header', 'body', 'bodyIncludes'],
  'a stubbed request': [
    ...['request', 'query', 'header', 'body', 'bodyIncludes', 'form', 'signedWith', 'times', 'response'],
  ],
  'a stubbed response': ['statuscode', 'header', 'body', 'fault', 'delay'],
  'a part': ['text', 'file', 'filename', 'contentType'],
} as const;

/** Fields that belong to a request, to the call of an operation, and to a trigger. */
export const ofActions = {
  request: ['query', 'header', 'body', 'bodyText', 'form', 'multipart', 'authentication', 'claims', 'key'],
  operationName: ['parameters', 'body'],
  trigger: ['operationName'],
} as const;
