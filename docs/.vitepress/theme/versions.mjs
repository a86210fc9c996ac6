/** The version of the page. A site that has the documents of several versions lists them in `versions.json`: then this is a menu. */
import { defineComponent, h, onMounted, ref } from 'vue';
import { useData } from 'vitepress';

export const Versions = defineComponent(() => {
  const { theme } = useData();
  const { version, root } = theme.value;
  const all = ref([version]);
  onMounted(async () => {
    try {
      const response = await fetch(`${root}versions.json`);
      if (response.ok) all.value = await response.json();
    } catch {
      // Without a network, only this version.
    }
  });
  const open = ({ target }) => {
    const [newest] = all.value;
    globalThis.location.assign(target.value === newest ? root : `${root}${target.value}/`);
  };
  return () =>
    all.value.length === 1
      ? h('span', { class: 'version' }, version)
      : h(
          'select',
          { class: 'version', 'aria-label': 'Version', value: version, onChange: open },
          all.value.map((name) => h('option', { key: name, value: name }, name)),
        );
});
