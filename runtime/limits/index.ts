/** Limits of requests, as generated code declares them. */
export { withLimits } from './with-limits.js';
export { clientNetwork } from './limit-key.js';
export { requestLimits } from './limits.js';
export { serviceLimits } from './service-limits.js';
