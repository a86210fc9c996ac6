/** The layout of generated code: options shared by oxfmt and prettier. */
export const layout = {
  printWidth: 100,
  singleQuote: true,
  trailingComma: 'all',
  embeddedLanguageFormatting: 'off',
} as const;
