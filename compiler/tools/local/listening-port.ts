/** Reads the address that a service prints. */

/** The port in the line printed by a service when it listens, as text or as a log entry; undefined for other lines. */
export function listeningPort(line: string): string | undefined {
  return /^(?:\{.*"msg":")?listening on http:\/\/[^\s"]+:(\d+)(?:"\})?$/.exec(line)?.[1];
}
