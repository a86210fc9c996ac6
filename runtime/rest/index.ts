/** Third-party APIs: datasources, and values in URLs and headers. */
export { noAnswer, type Answer } from './answer.js';
export { headerValue } from './header-value.js';
export { rest } from './rest.js';
export { encode, segment, wholeUrl } from './url-values.js';
