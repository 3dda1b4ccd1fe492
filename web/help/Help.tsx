/** The keys, in a dialog that the shell has opened. */
import { KEYS } from '../app/keys.ts';

export function Help() {
  return (
    <div class="help">
      {KEYS.map(({ where, keys }) => (
        <section key={where}>
          <h3>{where}</h3>
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
        </section>
      ))}
    </div>
  );
}
