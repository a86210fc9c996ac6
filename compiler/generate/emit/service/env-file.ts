/** .env with the values from the configuration, and .env.example with the names. */
import { environment } from '../../../notation/environment-writer.js';
import { joined, type Written } from '../../../notation/written.js';
import type { EnvironmentPlan } from '../../plan/environment.js';

export function emitEnv({ values }: EnvironmentPlan): Written<'environment'> {
  const intro = environment`# Values of the configuration. Do not commit this file: they may be secret. Environment variables win.`;
  const own = values.filter(({ isFromOutside }) => isFromOutside !== true);
  return environment`${joined([intro, ...own.map(({ name, value }) => assignment(name, value))], '\n')}\n`;
}

export function emitEnvExample({ values, references, replicas }: EnvironmentPlan): Written<'environment'> {
  const intro = environment`# Variables of this configuration. Set them in the environment, or in .env (one NAME=value on each line).`;
  const lines = [
    ...references.map(({ name, meaning, isNeeded }) => ({
      name,
      meaning: `${isNeeded ? 'needed: ' : ''}${meaning}`,
      example: '',
      isWhole: true,
    })),
    ...values.map((variable) => ({
      ...variable,
      meaning:
        variable.isFromOutside === true && variable.isOptional !== true
          ? `needed: ${variable.meaning}`
          : variable.meaning,
    })),
    ...replicas.map((replica) => ({ ...replica, example: '', isWhole: true })),
  ].flatMap(({ name, meaning, example, isWhole }) => [
    environment``,
    environment`# ${environment.comment(`${meaning}${isWhole ? '' : ', without parts that may be secret'}`)}`,
    environment`# ${assignment(name, example)}`,
  ]);
  return environment`${joined([intro, ...lines], '\n')}\n`;
}

function assignment(name: string, value: string): Written<'environment'> {
  return environment`${environment.variable(name)}=${environment.value(value)}`;
}
