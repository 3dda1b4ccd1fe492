/** A part of the usage page under its heading. */
export function Section({ title, children }: { readonly title: string; readonly children: preact.ComponentChildren }) {
  return (
    <section class="usage-section">
      <h2>{title}</h2>
      {children}
    </section>
  );
}
