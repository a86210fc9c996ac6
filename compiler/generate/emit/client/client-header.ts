/** The first line of a client, by which a build recognizes the file. */

export function clientHeader(configName: string): string {
  return `A client of the service. Generated from ${configName} by apikiln build --client. Do not edit.`;
}

export function isClientHeader(line: string): boolean {
  return /^\/\/ A client of the service\. Generated from .+ by apikiln build --client\. Do not edit\.$/.test(
    line,
  );
}
