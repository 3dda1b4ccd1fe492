/** What was unfolded in a chat. */
import { useCallback, useState } from 'preact/hooks';

export function useOpened() {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback((key: string) => {
    setOpened((before) => {
      const next = new Set(before);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  }, []);
  const open = useCallback((keys: readonly string[]) => {
    if (keys.length > 0) setOpened((before) => new Set([...before, ...keys]));
  }, []);
  return { opened, toggle, open };
}
