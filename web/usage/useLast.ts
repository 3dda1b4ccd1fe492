import { useRef } from 'preact/hooks';

/** What was seen last stays until the next is there. */
export function useLast<T>(value: T | undefined): T | undefined {
  const last = useRef(value);
  if (value !== undefined) last.current = value;
  return last.current;
}
