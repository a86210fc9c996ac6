/** The fields of test files, in the order in which they are documented. */

export const testFields = {
  'a test file': ['tests', 'environment'],
  'a test': [
    ...[
      'name',
      'seed',
      'now',
      'uuids',
      'rows',
      'steps',
      'request',
      'query',
      'header',
      'body',
      'bodyText',
      'form',
      'multipart',
    ],
    ...[
      'authentication',
      'claims',
      'key',
      'operationName',
      'parameters',
      'trigger',
      'datasources',
      'response',
      'rowsAfter',
      'keep',
    ],
  ],
  'a step': [
    ...['name', 'now', 'request', 'query', 'header', 'body', 'bodyText', 'form', 'multipart'],
    ...[
      'authentication',
      'claims',
      'key',
      'operationName',
      'parameters',
      'trigger',
      'datasources',
      'response',
      'rowsAfter',
      'keep',
    ],
  ],
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
