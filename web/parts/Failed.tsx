/** What went wrong and what to do. */
import type { ApiError } from '../app/api.ts';

export function Failed({ error, retry }: { readonly error: ApiError; readonly retry?: () => void }) {
  return (
    <div class="state" role="alert">
      <p class="state-what">{error.message}</p>
      <p class="quiet">{error.next}</p>
      {retry && (
        <button type="button" class="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}
