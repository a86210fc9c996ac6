/** In place of `compiler/analyze/database/ask-server.ts`: a page connects to no database server. */
export function askServer(): never {
  throw new Error('The playground has no database servers');
}
