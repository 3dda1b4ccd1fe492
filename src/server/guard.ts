/**
 * What comes before any answer. Any page a person has open can send requests to this machine: so the host must be ours (DNS
 * rebinding), the page that asks must be ours (CSRF), and there must be a cookie that only the printed URL gives.
 */
import type { Context, MiddlewareHandler, Next } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { refuse } from './errors.ts';
import { SECURE_HEADERS } from './headers.ts';
import type { Token } from './token.ts';

export interface Guarded {
  /** Of the links that lead in. */
  readonly links: readonly Token[];
  /** What a browser has once it was there. */
  readonly cookie: Token;
  /** Known once the server listens. */
  port(): number;
}

const LONGEST_URL = 8192;
const METHODS = new Set(['GET', 'HEAD', 'POST']);
export const LINK_PARAMETER = 'token';

export function guard(guarded: Guarded): MiddlewareHandler {
  return async (c, next) => {
    for (const [name, value] of Object.entries(SECURE_HEADERS)) c.header(name, value);
    const refused = refusal(c, guarded);
    if (refused) return refused;
    const given = c.req.path === '/' ? c.req.query(LINK_PARAMETER) : undefined;
    return given === undefined ? admit(c, next, guarded) : enter(c, given, guarded);
  };
}

function refusal(c: Context, { port }: Guarded): Response | undefined {
  if (!METHODS.has(c.req.method)) {
    c.header('Allow', 'GET, HEAD, POST');
    return refuse(c, 405, 'That is not done here.', 'Only GET and POST are answered.');
  }
  if (c.req.url.length > LONGEST_URL) return refuse(c, 414, 'The address is too long.', 'Ask for less.');
  const hosts = hostsAt(port());
  const host = c.req.header('host')?.toLowerCase() ?? '';
  // A request may name a host in its first line, too.
  if (!hosts.includes(host) || !hosts.includes(new URL(c.req.url).host)) {
    return refuse(c, 421, 'That is not the name of this server.', 'Open the address that skein serve printed.');
  }
  if (!isOwnPage(c, host)) return refuse(c, 403, 'Another page asked.', 'Open the viewer itself.');
  return undefined;
}

function hostsAt(port: number): string[] {
  const names = ['127.0.0.1', 'localhost', '[::1]'];
  return [...names.map((name) => `${name}:${port}`), ...(port === 80 ? names : [])];
}

/** Top-level navigation may come from anywhere: it only shows our page. A cookie that is SameSite=Strict stays away then. */
function isOwnPage(c: Context, host: string): boolean {
  const origin = c.req.header('origin');
  const site = c.req.header('sec-fetch-site');
  if (origin !== undefined && origin.toLowerCase() !== `http://${host}`) return false;
  if (c.req.method === 'POST') return origin !== undefined || site === 'same-origin';
  if (site === undefined || site === 'same-origin' || site === 'none') return true;
  return (
    c.req.path === '/' && c.req.header('sec-fetch-mode') === 'navigate' && c.req.header('sec-fetch-dest') === 'document'
  );
}

/** Cookies of one host go to all its ports: servers side by side each have a name of their own. */
function cookieName(port: number): string {
  return `skein-${port}`;
}

function enter(c: Context, given: string, { links, cookie, port }: Guarded): Response {
  if (!links.some((link) => link.fits(given))) return refuse(c, 401, 'The link is not of this server.', NEXT);
  setCookie(c, cookieName(port()), cookie.text, { httpOnly: true, sameSite: 'Strict', path: '/' });
  return c.redirect('/', 302);
}

async function admit(c: Context, next: Next, { cookie, port }: Guarded): Promise<Response | undefined> {
  const given = getCookie(c, cookieName(port()));
  if (cookie.fits(given)) {
    await next();
    return undefined;
  }
  if (given !== undefined) deleteCookie(c, cookieName(port()), { path: '/' });
  if (isFromElsewhere(c)) return c.html(ONCE_MORE, 401);
  return refuse(c, 401, 'This page is only for whoever started it.', NEXT);
}

/**
 * Who comes by a link on another page does not bring the cookie, not even the one just given: from a page of our own he
 * does. Without one that ends here, as then he comes from us.
 */
function isFromElsewhere(c: Context): boolean {
  const site = c.req.header('sec-fetch-site');
  return c.req.path === '/' && c.req.method === 'GET' && (site === 'cross-site' || site === 'same-site');
}

const ONCE_MORE = '<!doctype html><meta http-equiv="refresh" content="0; url=/"><title>Skein</title>';

const NEXT = 'Open the whole address that skein serve printed, with its token.';
