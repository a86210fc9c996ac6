/** Error bodies in configured forms, by status. */
import { textOf, type Json } from '../handler/json.js';
import type { ErrorInfo } from '../handler/reply.js';
import type { ErrorBodies } from '../http/exchange.js';

export interface ErrorForm {
  /** Statuses and classes such as `4xx`; undefined means all statuses. */
  readonly statuses?: readonly (number | string)[];
  /** The content type; the body of text/plain is one string. */
  readonly type: string;
  readonly body: (error: ErrorInfo) => Json;
}

/** Creates bodies from `settings.errors` as a list, with the first form that matches the status. */
export function errorBodies(forms: readonly ErrorForm[]): ErrorBodies {
  return (error) => {
    const form = forms.find(({ statuses }) => statuses?.some((one) => isOf(one, error.status)) !== false);
    if (form === undefined) return undefined;
    const { type } = form;
    const body = form.body(error);
    return type.startsWith('text/plain') ? { type, text: textOf(body) } : { type, body };
  };
}

function isOf(statuses: number | string, status: number): boolean {
  return typeof statuses === 'number' ? statuses === status : statuses.startsWith(String(status).charAt(0));
}
