/** `${VAR}` and `${VAR:-default}` in the configuration of a server. */
import type { McpServer } from './types.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What is not set and has no default stays as it stands, and is told of. */
export function expandServer(
  server: McpServer,
  env: Env,
): { readonly server: McpServer; readonly missing: readonly string[] } {
  const missing = new Set<string>();
  const text = (value: string): string =>
    value.replace(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (whole, name: string, otherwise?: string) => {
      const told = env[name] ?? otherwise;
      if (told === undefined) missing.add(name);
      return told ?? whole;
    });
  const texts = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, text(value)]));
  const expanded = ((): McpServer => {
    if (server.type === 'stdio') {
      const { args, env: own } = server;
      return {
        ...server,
        command: text(server.command),
        ...(args && { args: args.map(text) }),
        ...(own && { env: texts(own) }),
      };
    }
    if (server.type === 'sdk') return server;
    return { ...server, url: text(server.url), ...(server.headers && { headers: texts(server.headers) }) };
  })();
  return { server: expanded, missing: [...missing] };
}
