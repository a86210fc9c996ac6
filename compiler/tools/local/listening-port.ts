/** The line of a service that names its address. */

/** The port in the line that a service prints when it listens, as text or as an entry of the log; undefined in other lines. */
export function listeningPort(line: string): string | undefined {
  return /^(?:\{.*"msg":")?listening on http:\/\/[^\s"]+:(\d+)(?:"\})?$/.exec(line)?.[1];
}
