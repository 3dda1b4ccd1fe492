/**
 * One question at a time. Asked for again while an answer is on its way, it is asked once more after that: what changes faster than it
 * can be answered is shown all the same.
 */
export function inTurn(ask: () => Promise<void>): () => void {
  let isAsking = false;
  let again = false;
  const start = () => {
    again = isAsking;
    if (isAsking) return;
    isAsking = true;
    void ask().finally(() => {
      isAsking = false;
      if (again) start();
    });
  };
  return start;
}
