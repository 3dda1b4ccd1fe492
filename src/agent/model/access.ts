/** Whom to ask and with what key, from the environment. Nothing here is ever printed. */
import type { Agent } from 'node:http';
import type { ApiFailure } from '../ports.ts';
import { proxyTo } from './proxy.ts';

export type Env = Readonly<Record<string, string | undefined>>;

export interface Access {
  readonly messages: string;
  readonly countTokens: string;
  /** What may be shown of the address. */
  readonly host: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly agent?: Agent;
}

const API = 'https://api.anthropic.com';
const API_VERSION = '2023-06-01';

export function accessOf(env: Env, program: string): Access | { readonly failure: ApiFailure } {
  const key = filled(env.ANTHROPIC_API_KEY);
  const token = filled(env.ANTHROPIC_AUTH_TOKEN);
  const custom = customHeaders(env.ANTHROPIC_CUSTOM_HEADERS);
  const named = 'x-api-key' in custom || 'authorization' in custom;
  if (!key && !token && !named) {
    return refused(
      'authentication_error',
      'There is no key for the API. Set ANTHROPIC_API_KEY, or ANTHROPIC_AUTH_TOKEN for a gateway that takes a bearer token.',
    );
  }
  const base = filled(env.ANTHROPIC_BASE_URL) ?? API;
  const url = URL.canParse(base) ? new URL(base) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return refused(
      'invalid_request_error',
      'ANTHROPIC_BASE_URL is not an address. It begins with http:// or https://.',
    );
  }
  const messages = `${base.replace(/\/+$/, '')}/v1/messages`;
  const agent = proxyTo(messages, env);
  if (typeof agent === 'string') return refused('invalid_request_error', agent);
  return {
    messages,
    countTokens: `${messages}/count_tokens`,
    host: url.host,
    ...(agent && { agent }),
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': program,
      'anthropic-version': API_VERSION,
      ...(key && { 'x-api-key': key }),
      ...(token && { authorization: `Bearer ${token}` }),
      ...(filled(env.ANTHROPIC_BETAS) && { 'anthropic-beta': filled(env.ANTHROPIC_BETAS) }),
      ...custom,
    },
  };
}

function refused(type: string, message: string): { failure: ApiFailure } {
  return { failure: { type, message } };
}

/** A key from a file often ends in a line break, which no header may hold. */
function filled(value: string | undefined): string | undefined {
  return value?.trim() || undefined;
}

/** One `Name: value` a line. */
function customHeaders(lines: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines?.split(/\r?\n/) ?? []) {
    const [, name = '', value = ''] = /^\s*([^\s:]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== '') headers[name.toLowerCase()] = value;
  }
  return headers;
}
