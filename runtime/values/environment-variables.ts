/** ENV: environment variables of the service, read once at its start. */
import type { Environment, SettingsReader } from '../server/environment.js';

/** Declares the variables that expressions read. If one is missing, the service does not start. */
export function environmentVariables<Name extends string>(...names: Name[]): EnvironmentVariables<Name> {
  return new EnvironmentVariables(names);
}

class EnvironmentVariables<Name extends string> implements SettingsReader {
  readonly #values = new Map<Name, string>();

  constructor(private readonly names: readonly Name[]) {}

  readSettings(environment: Environment): void {
    for (const name of this.names) {
      const value = environment.secret(name, `ENV(${name})`);
      if (value === undefined)
        environment.problems.push(
          `The environment variable ${name} is not set; the configuration reads it with ENV(${name})`,
        );
      else this.#values.set(name, value);
    }
  }

  /** The value of the variable. */
  get(name: Name): string {
    const value = this.#values.get(name);
    if (value === undefined) throw new Error(`The environment variable ${name} has not been read.`);
    return value;
  }
}
