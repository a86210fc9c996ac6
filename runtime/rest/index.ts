/** Exports for services that call third parties. */
export { allPages } from './all-pages.js';
export { headerValue } from './header-value.js';
export { oauth2 } from './oauth2.js';
export { orFailure, type RestOutcome } from './or-failure.js';
export { rateLimit } from './rate-limit.js';
export { noResponse, responseHeader, type RestResponse } from './rest-response.js';
export { rest } from './rest.js';
export { retry } from './retry.js';
export { signed, signer } from './sign.js';
export { together } from './together.js';
