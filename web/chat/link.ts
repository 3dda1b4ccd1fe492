/** The address of an entry. */
import { hrefOf } from '../app/router.ts';

/** For others: without the choices of the list. */
export function linkTo(id: string, branch: number, uuid: string): string {
  const url = new URL(location.href);
  url.hash = hrefOf({ page: 'chat', id, params: { branch: String(branch + 1), at: uuid } });
  return url.href;
}
