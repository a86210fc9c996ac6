/** The names of functions and types in a client module. */

/** Names that the module declares or reads, whichever of its parts a service needs. A test compares them with the template. */
export const takenFunctions: readonly string[] = `
  authentications backOff blob bodyOf empty encoded fieldsOf formBody headersOf joined json jsonBody lines linked newKey pageOf pages
  pause queryOf rawBody read segment send successOf text urlencodedBody waitAfter withCredentials
  client input options page body headers fetch crypto btoa setTimeout clearTimeout encodeURIComponent`
  .trim()
  .split(/\s+/);

export const takenTypes: readonly string[] = `
  Answer BodyOf Call CallOptions Client Content Credential Credentials FailedResponse Failure Password Place Reply Signer Success
  UnexpectedResponse
  AbortSignal Array AsyncGenerator AsyncIterable Blob Date Error Exclude Extract FormData Headers JSON Math Number Object Partial Promise Readonly
  Record Request RequestInit Response String TextDecoder TextEncoder TypeError URL URLSearchParams Uint8Array`
  .trim()
  .split(/\s+/);
