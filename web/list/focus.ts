/** Focus from one of several elements to another, for lists that are one stop of the Tab key. */

/** The one so many steps on from that which has the focus; stays within the ends. Whether there is one. */
export function focusBeside(elements: readonly HTMLElement[], step: number): boolean {
  const at = elements.findIndex((element) => element.contains(document.activeElement));
  const next = elements[Math.max(0, Math.min(elements.length - 1, at + step))];
  next?.focus();
  return next !== undefined;
}

export function elementsIn(box: Element | null, selector: string): HTMLElement[] {
  return [...(box?.querySelectorAll<HTMLElement>(selector) ?? [])];
}
