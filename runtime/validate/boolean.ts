/** The schema of booleans. */
import type { Json } from '../handler/json.js';
import type { ValidationErrors } from './validation-errors.js';
import { printValue, type ValuePath } from './value-path.js';
import { Schema } from './schema.js';

class Boolean_ extends Schema {
  check(value: Json, at: ValuePath, errors: ValidationErrors): void {
    if (typeof value !== 'boolean') errors.add(at, () => `must be true or false, not ${printValue(value)}`);
  }

  override get kindNames(): readonly string[] {
    return ['true or false'];
  }

  accepts(value: Json): boolean {
    return typeof value === 'boolean';
  }

  protected override fromText(text: string): Json {
    return text === 'true' ? true : text === 'false' ? false : text;
  }
}

/** A boolean. */
export function boolean(): Schema {
  return new Boolean_();
}
