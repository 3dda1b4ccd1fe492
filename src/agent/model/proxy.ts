/** The way through a proxy, where the environment names one. Node's own (since 22.21 and 24.5), NO_PROXY included. */
import type { Agent } from 'node:http';
import type { Env } from './access.ts';

/** undefined: none, and requests share the connections of the process. A string says what is wrong with the one that is named. */
export function proxyTo(url: string, env: Env): Agent | string | undefined {
  const scheme = url.startsWith('https:') ? 'https' : 'http';
  const name = [`${scheme}_proxy`, `${scheme.toUpperCase()}_PROXY`].find((each) => env[each]?.trim());
  if (name === undefined) return undefined;
  const value = env[name]?.trim() ?? '';
  const address = value.includes('://') ? value : `http://${value}`;
  // Node goes past a proxy it cannot use; whoever names one does not want that.
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) {
    return `${name} is not a proxy that can be used. It begins with http:// or https://.`;
  }
  const { NO_PROXY, no_proxy } = env;
  const { Agent } = process.getBuiltinModule(`node:${scheme}`);
  return new Agent({ keepAlive: true, proxyEnv: { [name]: address, NO_PROXY, no_proxy } });
}
