/** In place of `compiler/analyze/database/packed-postgres.ts`: `open-postgres.ts` loads the data folder. */
export function packedPostgres(): undefined {
  return undefined;
}

export function postgresVersion(): string {
  return 'of the page';
}
