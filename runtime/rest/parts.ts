/** Interfaces of optional parts of a REST datasource. Implementations are in separate files, loaded only by services that use them. */
import type { Call } from '../handler/call.js';
import type { Environment } from '../server/environment.js';
import type { CallSite } from './failure.js';
import type { Incoming, Outgoing, Sign } from './http-exchange.js';

/** Authenticates the service to the API: `oauth2({ … })`. */
export interface Identity {
  /** Reads the settings of the login, DATASOURCE_<NAME>_… . */
  readSettings(datasource: string, environment: Environment): void;
  /** Sends the request with credentials. */
  send(request: IdentifiedRequest): Promise<Incoming>;
}

export interface IdentifiedRequest {
  readonly call: Call;
  readonly callSite: CallSite;
  readonly outgoing: Outgoing;
  /** Sends a request with changed headers. */
  readonly send: (outgoing: Outgoing) => Promise<Incoming>;
}

/** Signs the requests of a datasource: `signer('github')`. */
export interface Signer {
  /** Reads the setting DATASOURCE_<NAME>_SIGNATURE_SECRET. */
  readSettings(datasource: string, environment: Environment): void;
  /** Creates the signature for one message, which may be sent several times. */
  ofMessage(): Sign;
}

/** Limits the requests sent by a process: `rateLimit({ perSecond: 10 })`. */
export interface RateLimit {
  /**
   * Resolves when the request may be sent. Call the returned function when the request has ended. Throws a ServiceError 503 if the
   * remaining time is too short.
   */
  turn(call: Call, callSite: CallSite): Promise<() => void>;
}
