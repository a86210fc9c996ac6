/** A piece of the text that is sent to the server. */
export type SqlPart =
  | { readonly kind: 'text'; readonly text: string }
  /** One marker, for one bound value. */
  | { readonly kind: 'value' }
  /** On PostgreSQL: the marker once more of the `value` part of this number, counted from 0. */
  | { readonly kind: 'same'; readonly value: number }
  /** All of `[NOT] IN ( … )`, where an array is not possible, for the elements of the next `count` bound values. */
  | { readonly kind: 'in-list'; readonly negated: boolean; readonly count: number }
  /** The elements of one bound value inside `IN ( … )`, each with a comma before or after it; empty if there are none. */
  | { readonly kind: 'elements'; readonly comma: 'before' | 'after' };
