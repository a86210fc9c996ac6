/** The singular of a plural name: `kilns` → kiln. */

const irregular: readonly (readonly [plural: RegExp, singular: string])[] = [
  [/people$/, 'person'],
  [/People$/, 'Person'],
  [/children$/, 'child'],
  [/Children$/, 'Child'],
  [/(?<=movie|cookie)s$/i, ''],
];

const regular: readonly (readonly [plural: RegExp, singular: string])[] = [
  [/ies$/, 'y'],
  [/(?<=ss|x|ch|sh|[^ao]us|ias)es$/, ''],
  [/(?<![sui])s$/, ''],
];

/** Words that only look like plurals, and plurals with an ambiguous ending. */
const others = /(?:news|series|species|lens|gas|caches|axes|oes)$/i;

/** Undefined unless the name is certainly a plural. */
export function singular(name: string): string | undefined {
  const rules = others.test(name) ? [] : [...irregular, ...regular];
  const rule = rules.find(([plural]) => plural.test(name));
  const one = rule && name.replace(...rule);
  return one === undefined || one.length < 3 ? undefined : one;
}
