/** Keeps what a server was given as a secret out of what is shown. */
import type { McpServer } from './types.ts';

const SHORTEST = 6;

export function maskFor(server: McpServer): (text: string) => string {
  const given = server.type === 'stdio' ? server.env : server.type === 'sdk' ? {} : server.headers;
  // `Bearer TOKEN`: the token alone is one, too.
  const secrets = Object.values(given ?? {})
    .flatMap((value) => [value, ...value.split(/\s+/)])
    .filter((value) => value.length >= SHORTEST)
    .sort((a, b) => b.length - a.length);
  const query = server.type === 'http' || server.type === 'sse' ? secretsOfUrl(server.url) : [];
  return (text) => [...secrets, ...query].reduce((masked, secret) => masked.replaceAll(secret, '***'), text);
}

function secretsOfUrl(url: string): string[] {
  try {
    const { password, searchParams } = new URL(url);
    return [password, ...searchParams.values()].filter((value) => value.length >= SHORTEST);
  } catch {
    return [];
  }
}
