/** A word in passing at the lower edge, also for screen readers. */
import { useCallback, useEffect, useState } from 'preact/hooks';

const SHOWN_MS = 2500;

export function useSay() {
  const [said, setSaid] = useState<{ readonly text: string }>();
  useEffect(() => {
    if (said === undefined) return;
    const timer = setTimeout(() => setSaid(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const say = useCallback((text: string) => setSaid({ text }), []);
  const spoken = (
    <div class="said" role="status" aria-live="polite">
      {said && <p>{said.text}</p>}
    </div>
  );
  return { say, spoken };
}
