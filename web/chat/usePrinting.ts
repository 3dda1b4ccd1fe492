/** On paper all rows that are loaded stand one after the other. The browser does not wait: they are drawn at once. */
import { options } from 'preact';
import { useEffect, useState } from 'preact/hooks';

export function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const set = (on: boolean) => () => {
      const { debounceRendering } = options;
      options.debounceRendering = (draw) => draw();
      setPrinting(on);
      options.debounceRendering = debounceRendering;
    };
    const [begin, end] = [set(true), set(false)];
    addEventListener('beforeprint', begin);
    addEventListener('afterprint', end);
    return () => {
      removeEventListener('beforeprint', begin);
      removeEventListener('afterprint', end);
    };
  }, []);
  return printing;
}
