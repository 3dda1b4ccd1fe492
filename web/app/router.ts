/** All state that a link should carry is in the hash: `#/chat/ID?branch=2&at=UUID`, `#/search?q=…`, `#/usage?by=…`. */
import { useEffect, useState } from 'preact/hooks';

export type PageName = 'chats' | 'chat' | 'search' | 'usage';

export interface Route {
  readonly page: PageName;
  /** Of the chat that is open. */
  readonly id: string | null;
  /** branch, at; q; by, since; and the choices of the list: project, filter. */
  readonly params: Readonly<Record<string, string>>;
}

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#/, '').split(/\?(.*)/s);
  const [, page = '', id = ''] = path.split('/');
  const params = Object.fromEntries(new URLSearchParams(query));
  if (page === 'chat' && id !== '') return { page, id: decoded(id), params };
  if (page === 'search' || page === 'usage') return { page, id: null, params };
  return { page: 'chats', id: null, params };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function hrefOf({ page, id = null, params = {} }: Partial<Route> & { readonly page: PageName }): string {
  const query = new URLSearchParams(Object.entries(params).filter(([, value]) => value !== ''));
  const path = page === 'chats' ? '#/' : page === 'chat' ? `#/chat/${encodeURIComponent(id ?? '')}` : `#/${page}`;
  return query.size === 0 ? path : `${path}?${query}`;
}

/** `replace` leaves no step for the back button: for choices, not for places. */
export function go(route: Partial<Route> & { readonly page: PageName }, options: { replace?: boolean } = {}): void {
  const href = hrefOf(route);
  if (href === (location.hash || '#/')) return;
  if (!options.replace) {
    location.hash = href;
    return;
  }
  history.replaceState(history.state, '', href);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** Params with some changed; undefined or '' takes one away. */
export function withParams(route: Route, changes: Record<string, string | undefined>): Route {
  const params = { ...route.params };
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') delete params[name];
    else params[name] = value;
  }
  return { ...route, params };
}

/** What belongs to the list and stays when a chat is opened. */
export function listParams({ params }: Route): Record<string, string> {
  const { project = '', filter = '' } = params;
  return { ...(project !== '' && { project }), ...(filter !== '' && { filter }) };
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const onChange = () => setRoute(parseRoute(location.hash));
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return route;
}
