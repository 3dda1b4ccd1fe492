/** How wide an element is, also after it changed. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export function useWidth(otherwise = 600) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(otherwise);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    setWidth(element.clientWidth || otherwise);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth || otherwise));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { box, width };
}
