/** Keys and what they do, one under the other. */
import type { Key } from '../app/keys.ts';

export function KeyList({ keys }: { readonly keys: readonly Key[] }) {
  return (
    <dl>
      {keys.map(({ keys: names, what }) => (
        <div key={what} class="help-row">
          <dt>
            {names.map((name) => (
              <kbd key={name}>{name}</kbd>
            ))}
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  );
}
