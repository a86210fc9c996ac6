/** What several types of authentications have. */
import type { WithSpan } from '../source.js';
import type { Authentication } from './config-model.js';

/** The cookie that may hold the credentials. */
export function cookieOf(authentication: Authentication): WithSpan<string> | undefined {
  switch (authentication.type) {
    case 'jwt':
    case 'apikey':
      return authentication.cookie;
    case 'basicauth':
    case 'signature':
    case 'custom':
    case undefined:
      return undefined;
  }
}

/** The operation that finds the caller, if it is one. */
export function finderOf(authentication: Authentication): WithSpan<string> | undefined {
  switch (authentication.type) {
    case 'apikey':
      return authentication.operation;
    case 'basicauth':
    case 'jwt':
    case 'signature':
    case 'custom':
    case undefined:
      return undefined;
  }
}
