/** The default theme with a menu of versions, and links of examples to the playground. */
import { h } from 'vue';
import DefaultTheme from 'vitepress/theme';
import { Versions } from './versions.mjs';
import './style.css';

export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      'nav-bar-content-after': () => h(Versions),
      'nav-screen-content-after': () => h(Versions),
    }),
};
