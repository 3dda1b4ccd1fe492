/** Plain text in which placeholders are pills that give up their secret when they are clicked. */
import { useContext } from 'preact/hooks';
import { ChatContext } from '../chat/context.ts';
import { type SecretPlace, splitSecrets } from './secrets.ts';

export function Text({ text }: { readonly text: string }) {
  const parts = splitSecrets(text);
  if (parts.length === 1 && typeof parts[0] === 'string') return <>{parts[0]}</>;
  return <>{parts.map((part, place) => (typeof part === 'string' ? part : <Secret key={place} {...part} />))}</>;
}

function Secret({ placeholder, kind }: SecretPlace) {
  const context = useContext(ChatContext);
  const secret = context?.revealed.get(placeholder);
  if (secret !== undefined) return <span class="secret revealed">{secret}</span>;
  if (!context?.api.served) return <span class="secret">•••• {kind}</span>;
  return (
    <button
      type="button"
      class="secret"
      title={`Hidden: ${kind}. Click to see it.`}
      aria-label={`Hidden ${kind}: show it`}
      onClick={(event) => {
        event.stopPropagation();
        context.reveal(placeholder);
      }}
    >
      •••• {kind}
    </button>
  );
}
