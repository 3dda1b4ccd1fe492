/** Headings of the columns of usage tables. */

/** Over numbers. `narrow`: also on a narrow page. */
export function NumberHeading({ name, narrow = true }: { readonly name: string; readonly narrow?: boolean }) {
  return (
    <th scope="col" class={narrow ? 'number-cell' : 'number-cell narrow-off'}>
      {name}
    </th>
  );
}

/** Over bars: seen by those who hear the page. */
export function ShareHeading() {
  return (
    <th scope="col" class="bar-cell">
      <span class="visually-hidden">Share</span>
    </th>
  );
}
