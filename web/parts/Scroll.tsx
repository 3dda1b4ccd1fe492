/** Something that may be wider than the page: scrolls by itself, also by keyboard. */
import type { ComponentChildren } from 'preact';

export function Scroll({
  class: name,
  label,
  children,
}: {
  readonly class: string;
  readonly label: string;
  readonly children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <div class={name} role="group" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
