/** Access control for user routes, using the authentications of the service by name. */
import { accept, optional, withScopes } from '../authentication/accept.js';
import type { Authentication } from '../authentication/authentication.js';
import type { Access } from '../http/route.js';

/** An authentication accepted by a route, in the notation used by operations in the configuration. */
export type Accepted<Name extends string = string> =
  Name | { readonly name: Name; readonly scopes?: readonly string[]; readonly optional?: boolean };

/** Creates the access check for a list of authentications; undefined for public routes. */
export interface OwnAccess<Name extends string = string> {
  of(accepted: readonly Accepted<Name>[] | undefined): Access | undefined;
}

/** `byDefault` applies to routes and operations without a list of authentications; undefined if operations must have a list. */
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
