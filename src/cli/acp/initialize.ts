/** What we are and can, told to the editor first. */
import { type InitializeRequest, type InitializeResponse, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import { version } from '../mcp/version.ts';

export const KEY_METHOD = {
  id: 'api-key',
  name: 'API key in the environment',
  description:
    'Set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN for a gateway) in the environment that the editor starts skein with, or under "env" in ~/.claude/settings.json.',
};

/** One version is spoken; an editor that cannot leaves. */
export function initialized(_request: InitializeRequest): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'skein', title: 'Skein', version: version() },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, resume: {}, close: {}, additionalDirectories: {} },
    },
    authMethods: [KEY_METHOD],
  };
}
