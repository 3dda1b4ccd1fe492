/** A link out of the page: only to the web or to mail, never followed by itself, and without telling where it came from. */
import type { ComponentChildren } from 'preact';

const SAFE = /^(?:https?:\/\/|mailto:)/i;

export function ExternalLink({ href, children }: { readonly href: string; readonly children: ComponentChildren }) {
  const target = safeHref(href);
  if (target === undefined) return <span title={href}>{children}</span>;
  return (
    <a href={target} target="_blank" rel="noreferrer noopener" title={target}>
      {children}
    </a>
  );
}

export function safeHref(href: string): string | undefined {
  const trimmed = href.trim();
  if (!SAFE.test(trimmed)) return undefined;
  try {
    return new URL(trimmed).href;
  } catch {
    return undefined;
  }
}
