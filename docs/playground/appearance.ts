/** Light or dark: as chosen on the pages of the documents, otherwise as the system. */

/** The item in which VitePress stores the choice. */
function choice(): string | null {
  try {
    return localStorage.getItem('vitepress-theme-appearance');
  } catch {
    // The browser stores nothing.
    return null;
  }
}

const chosen = choice();

export const isDark =
  chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);

document.documentElement.style.colorScheme = isDark ? 'dark' : 'light';
