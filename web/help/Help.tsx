/** The keys, in a dialog that the shell has opened. */
import { KEYS } from '../app/keys.ts';
import { KeyList } from './KeyList.tsx';

export function Help() {
  return (
    <div class="help">
      {KEYS.map(({ where, keys }) => (
        <section key={where}>
          <h3>{where}</h3>
          <KeyList keys={keys} />
        </section>
      ))}
    </div>
  );
}
