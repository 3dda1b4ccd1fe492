/** A value that changes with every frame, for those who need not follow every one of them. */
import { useEffect, useRef, useState } from 'preact/hooks';

export function useThrottled<T>(value: T, ms: number): T {
  const [shown, setShown] = useState(value);
  const latest = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  latest.current = value;
  useEffect(() => {
    if (value === shown || timer.current !== undefined) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      setShown(latest.current);
    }, ms);
  }, [value, shown, ms]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return shown;
}
