/** Projects with filters, and the chats. */
import type { ChatList } from '../../src/views/page/types.ts';
import type { ApiError } from '../app/api.ts';
import type { Route } from '../app/router.ts';

export interface ListProps {
  /** undefined while it is loaded. */
  readonly list: ChatList | undefined;
  readonly error: ApiError | undefined;
  readonly retry: () => void;
  /** `params.project` and `params.filter` are the choices; `id` the chat that is open. */
  readonly route: Route;
}

export { Chats } from './Chats.tsx';
export { Projects } from './Projects.tsx';
