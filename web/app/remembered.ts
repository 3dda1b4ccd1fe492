/** Choices that outlast the page. A browser that keeps nothing (private window, file://) just forgets them. */
import { useState } from 'preact/hooks';

export function remembered(name: string): string | null {
  try {
    return localStorage.getItem(`skein.${name}`);
  } catch {
    return null;
  }
}

export function remember(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`skein.${name}`);
    else localStorage.setItem(`skein.${name}`, value);
  } catch {
    // Nothing depends on it.
  }
}

/** A state that is remembered, as text. */
export function useRemembered(name: string, otherwise: string): [string, (value: string) => void] {
  const [value, setValue] = useState(() => remembered(name) ?? otherwise);
  return [
    value,
    (next) => {
      remember(name, next);
      setValue(next);
    },
  ];
}
