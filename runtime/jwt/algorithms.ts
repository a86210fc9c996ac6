/** Token signature algorithms by the kind of key, so that a public key is never used as the secret of an HS algorithm. */

export const secretAlgorithms = ['HS256', 'HS384', 'HS512'];
const rsaAlgorithms = ['RS256', 'RS384', 'RS512'];
const pssAlgorithms = ['PS256', 'PS384', 'PS512'];

/** Algorithms by key type; elliptic curves by curve name. */
const byKind: Readonly<Record<string, readonly string[]>> = {
  rsa: [...rsaAlgorithms, ...pssAlgorithms],
  'rsa-pss': pssAlgorithms,
  prime256v1: ['ES256'],
  secp384r1: ['ES384'],
  secp521r1: ['ES512'],
  ed25519: ['EdDSA', 'Ed25519'],
};

/** The algorithms for a public key; undefined for an unsupported kind of key. */
export function publicAlgorithms(kind: string): readonly string[] | undefined {
  return Object.hasOwn(byKind, kind) ? byKind[kind] : undefined;
}

/** The algorithms for public keys of any kind. */
export const allPublicAlgorithms: readonly string[] = [...new Set(Object.values(byKind).flat())];

export const allAlgorithms: readonly string[] = [...secretAlgorithms, ...allPublicAlgorithms];
