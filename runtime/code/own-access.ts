/** Access control for routes of user code, by the names of the service's authentications. */
import { accept, optional, withScopes } from '../authentication/accept.js';
import type { Authentication } from '../authentication/authentication.js';
import type { Access } from '../http/route.js';

/** An authentication that a route accepts, as an operation names it in the configuration. */
export type Accepted<Name extends string = string> =
  Name | { readonly name: Name; readonly scopes?: readonly string[]; readonly optional?: boolean };

/** The check of the credentials for a list of authentications; undefined if everybody may use the route. */
export interface OwnAccess<Name extends string = string> {
  of(accepted: readonly Accepted<Name>[] | undefined): Access | undefined;
}

/** `byDefault` applies to routes without a list, as it does to operations without one. It is undefined if operations must have a list. */
export function ownAccess<Name extends string>(
  authentications: Readonly<Record<Name, Authentication>>,
  byDefault?: Access,
): OwnAccess<Name> {
  return {
    of(accepted) {
      if (accepted === undefined) {
        if (byDefault !== undefined) return byDefault;
        throw new TypeError(
          `contextOf needs { authentications: [...] }: ${Object.keys(authentications).join(', ')}, or [] for everybody`,
        );
      }
      if (accepted.length === 0) return undefined;
      return accept(
        ...accepted.map((one) => {
          const {
            name,
            scopes = [],
            optional: isOptional = false,
          } = typeof one === 'string' ? { name: one } : one;
          if (!Object.hasOwn(authentications, name))
            throw new TypeError(`there is no authentication '${name}'`);
          const scoped = withScopes(authentications[name], ...scopes);
          return isOptional ? optional(scoped) : scoped;
        }),
      );
    },
  };
}
