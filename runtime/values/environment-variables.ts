/** ENV: environment variables of the service, read once at its start. */
import type { Json } from '../handler/json.js';
import type { Environment, SettingsReader } from '../server/environment.js';

/** Declares the variables that expressions read. If one is missing, the service does not start. */
export function environmentVariables<Name extends string>(
  ...names: Name[]
): EnvironmentVariables<Name, never> {
  return new EnvironmentVariables(names, []);
}

type Constant = string | number | boolean | null;

class EnvironmentVariables<Name extends string, Optional extends string> implements SettingsReader {
  readonly #values = new Map<string, string>();

  constructor(
    private readonly names: readonly Name[],
    private readonly optionalNames: readonly Optional[],
  ) {}

  /** Declares variables that may be missing. */
  optional<Others extends string>(...names: Others[]): EnvironmentVariables<Name, Others> {
    return new EnvironmentVariables(this.names, names);
  }

  readSettings(environment: Environment): void {
    for (const name of this.names) {
      const value = environment.secret(name, `ENV(${name})`);
      if (value === undefined)
        environment.problems.push(
          `The environment variable ${name} is not set; the configuration reads it with ENV(${name})`,
        );
      else this.#values.set(name, value);
    }
    for (const name of this.optionalNames) {
      const value = environment.secret(name, `ENV(${name})`);
      if (value !== undefined) this.#values.set(name, value);
    }
  }

  /** The value of the variable, or the default if it is not set. */
  get(name: Name): string;
  get(name: Name | Optional, byDefault: string): string;
  get(name: Name | Optional, byDefault: Constant): Json;
  get(name: string, byDefault?: Constant): Json {
    const value = this.#values.get(name) ?? byDefault;
    if (value === undefined) throw new Error(`The environment variable ${name} has not been read.`);
    return value;
  }
}
