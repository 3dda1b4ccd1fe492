/** `WebFetch(domain:…)`: hosts, without regard to case or a final dot. `*.` stands for subdomains, another `*` for a part between dots. */
import { escapeRegExp } from './wildcard.ts';

export function matchesDomain(spec: string, host: string): boolean {
  const wanted = plain(spec.replace(/^domain:/, ''));
  const found = plain(host);
  if (wanted === '*') return true;
  const below = wanted.startsWith('*.');
  const rest = (below ? wanted.slice(2) : wanted).split('*').map(escapeRegExp).join('[^.]*');
  return new RegExp(`^${below ? '(?:[^.]+\\.)+' : ''}${rest}$`).test(found);
}

/** Undefined for what is no address of the web. */
export function hostOf(url: string): string | undefined {
  try {
    const { protocol, hostname } = new URL(url);
    return /^https?:$/.test(protocol) && hostname !== '' ? hostname : undefined;
  } catch {
    return undefined;
  }
}

function plain(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}
