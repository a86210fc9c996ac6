/** The facts about an error that its body can show. */
import { STATUS_CODES } from 'node:http';
import type { ErrorInfo, Fault } from '../handler/reply.js';

/** An error that is sent. */
export interface Problem {
  readonly status: number;
  readonly message: string;
  readonly code?: string | undefined;
  readonly faults?: readonly Fault[] | undefined;
}

export function errorInfo({ status, message, code, faults = [] }: Problem, requestId: string): ErrorInfo {
  return {
    ...{
      status,
      title: STATUS_CODES[status] ?? 'Error',
      message,
      code: code ?? null,
      requestId,
      faults: [...faults],
    },
    byName: messagesByName(faults),
  };
}

function messagesByName(faults: readonly Fault[]): Record<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { name, message } of faults) {
    const messages = found.get(name) ?? [];
    messages.push(message);
    found.set(name, messages);
  }
  return Object.fromEntries(found);
}
