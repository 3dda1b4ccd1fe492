/** MCP servers as they are configured, and as they are while a session runs. */
import type { Transport } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../format/json.ts';

/** Where a server was named. `dynamic`: set in mid-session by the program that drives it. */
export type McpScope = 'managed' | 'user' | 'project' | 'local' | 'flag' | 'sdk' | 'acp' | 'dynamic';

export type McpServer = (McpProcess | McpRemote | McpInProgram) & {
  readonly scope: McpScope;
  /** The file, or the option. */
  readonly where?: string;
  /** Milliseconds a call may take. */
  readonly timeout?: number;
  /** Why it is not started though it is there: not approved, turned off … */
  readonly off?: string;
};

export interface McpProcess {
  readonly type: 'stdio';
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface McpRemote {
  readonly type: 'http' | 'sse';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Runs in the program that drives the agent, which carries its messages. */
export interface McpInProgram {
  readonly type: 'sdk';
  readonly name: string;
}

export interface McpOptions {
  readonly servers: ReadonlyMap<string, McpServer>;
  /** Why one that is named later may not be used. */
  readonly forbidden?: (name: string, server: McpServer) => string | undefined;
  /** The way to a server of type `sdk`; started by the client of the protocol, once for each connection. */
  readonly sdk?: (name: string) => Transport;
  /** Told what is said by and to servers, masked. */
  readonly debug?: (words: string) => void;
  /** A tool that decides in a person's stead what may run. */
  readonly permissionTool?: string;
  /** A person is asked about servers that wait for approval, as the first prompt comes. */
  readonly asks?: boolean;
  /** The agent is not there before its servers are, as far as they are waited for: where its first word tells of them. */
  readonly waits?: boolean;
}

export type McpStatus = 'connected' | 'pending' | 'failed' | 'needs-auth' | 'disabled';

/** In the words of the published client: what `mcp_status` is answered with. */
export interface McpState {
  readonly name: string;
  readonly status: McpStatus;
  readonly scope: McpScope;
  readonly config: McpServer;
  readonly error?: string;
  readonly serverInfo?: { readonly name: string; readonly version: string };
  readonly tools?: readonly McpToolState[];
}

export interface McpToolState {
  /** The server's own; the model knows it as mcp__SERVER__NAME. */
  readonly name: string;
  readonly description?: string;
  readonly annotations?: { readonly readOnly?: boolean; readonly destructive?: boolean; readonly openWorld?: boolean };
}

export interface McpChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** By server. */
  readonly errors: Readonly<Record<string, string>>;
}

/** What can be asked of the servers of a session. Nothing of it throws. */
export interface AgentMcp {
  readonly servers: readonly McpState[];
  /** Ends the connection and begins a new one; resolves when that came to something. */
  reconnect(name: string): Promise<McpState | undefined>;
  /** For this session. */
  toggle(name: string, on: boolean): Promise<McpState | undefined>;
  /** A server of the project's .mcp.json: remembered in the local settings, and done. */
  approve(name: string, isYes: boolean): Promise<{ readonly text: string; readonly failed?: boolean }>;
  /** Puts these in the place of those of scopes `dynamic` and `sdk`; those of files and flags stay. */
  setServers(servers: ReadonlyMap<string, McpServer>): Promise<McpChange>;
  /** Hands a server of type `sdk` what its program sends later than at the beginning. */
  setSdk(sdk: McpOptions['sdk']): void;
  /** Prompts of servers as commands, without the slash. */
  readonly commands: readonly { readonly name: string; readonly description: string; readonly argumentHint?: string }[];
  /** One call outside of any turn, such as that of a tool that decides on permissions. */
  call(
    tool: string,
    input: JsonObject,
    signal: AbortSignal,
  ): Promise<{ readonly text: string; readonly isError: boolean }>;
}
