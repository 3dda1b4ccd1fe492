/** Text inside a link or a button: a masked secret is a pill here too, but none to be clicked. */
import { splitSecrets } from '../parts/secrets.ts';

export function Masked({ text }: { readonly text: string }) {
  const parts = splitSecrets(text);
  if (parts.length === 1 && typeof parts[0] === 'string') return <>{parts[0]}</>;
  return (
    <>
      {parts.map((part, place) =>
        typeof part === 'string' ? (
          part
        ) : (
          <span key={place} class="secret">
            •••• {part.kind}
          </span>
        ),
      )}
    </>
  );
}
