/** A part of the SQL that is sent to the server. */
export type SqlPart =
  | { readonly kind: 'text'; readonly text: string }
  /** One marker, for one bound value. */
  | { readonly kind: 'value' }
  /** PostgreSQL only: another use of the marker of `value` part number `value` (from 0). */
  | { readonly kind: 'same'; readonly value: number }
  /** The whole `[NOT] IN ( … )` for the elements of the next `count` bound values, if the SQL cannot use an array parameter. */
  | { readonly kind: 'in-list'; readonly negated: boolean; readonly count: number }
  /** The elements of one bound value inside `IN ( … )`, each with a comma before or after it; nothing for an empty list. */
  | { readonly kind: 'elements'; readonly comma: 'before' | 'after' };
