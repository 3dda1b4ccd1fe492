/** A button with a few more under it. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './icons.tsx';

export function Menu({
  label,
  icon,
  children,
}: {
  readonly label: string;
  readonly icon: IconName;
  readonly children: ComponentChildren;
}) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    const close = (event: Event) => {
      if (
        event instanceof KeyboardEvent
          ? event.key === 'Escape'
          : !(event.target instanceof Node && box.current?.contains(event.target))
      )
        setOpen(false);
    };
    addEventListener('pointerdown', close);
    addEventListener('keydown', close);
    return () => {
      removeEventListener('pointerdown', close);
      removeEventListener('keydown', close);
    };
  }, [open]);
  return (
    <div class="menu" ref={box}>
      <button
        type="button"
        class="icon-button"
        aria-label={label}
        title={label}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <Icon name={icon} />
      </button>
      {open && (
        // biome-ignore lint/a11y/useKeyWithClickEvents: what is inside takes the keys
        // biome-ignore lint/a11y/noStaticElementInteractions: closes when something inside was chosen
        <div
          class="menu-items"
          onClick={(event) => event.target instanceof Element && event.target.closest('button, a') && setOpen(false)}
        >
          {children}
        </div>
      )}
    </div>
  );
}
