/** Secrets that were asked for, until the page is loaded again. */
import { useCallback, useState } from 'preact/hooks';
import type { Api } from '../app/api.ts';

export function useReveal(api: Api, chat: string, say: (text: string) => void) {
  const [revealed, setRevealed] = useState<ReadonlyMap<string, string>>(new Map());
  const reveal = useCallback(
    async (placeholder: string) => {
      try {
        const { text } = await api.reveal(chat, placeholder);
        setRevealed((before) => new Map(before).set(placeholder, text));
      } catch (error) {
        say(error instanceof Error ? error.message : String(error));
      }
    },
    [api, chat, say],
  );
  return { revealed, reveal };
}
