/** The default theme with a menu of versions, and links of examples to the playground. */
import { defineComponent, h, onMounted } from 'vue';
import DefaultTheme from 'vitepress/theme';
import { Versions } from './versions.mjs';
import './style.css';

const Layout = defineComponent(() => {
  onMounted(() => {
    const { document } = globalThis;
    // Its label has to contain its visible text, which has the key K on wide screens.
    const search = document.querySelector('.DocSearch-Button');
    search?.setAttribute('title', 'Search');
    search?.removeAttribute('aria-label');
    // A button in a button: the arrow of a group in the sidebar does what the group does.
    for (const arrow of document.querySelectorAll('.VPSidebarItem [role="button"] > .caret')) {
      arrow.removeAttribute('role');
      arrow.removeAttribute('tabindex');
      arrow.removeAttribute('aria-label');
    }
  });
  return () =>
    h(DefaultTheme.Layout, null, {
      'nav-bar-content-after': () => h(Versions),
      'nav-screen-content-after': () => h(Versions),
    });
});

export default { extends: DefaultTheme, Layout };
