/** The commands of the console, as they are listed. */
export interface Slash {
  readonly name: string;
  readonly hint?: string;
  readonly about: string;
}

export const SLASHES: readonly Slash[] = [
  { name: 'help', about: 'keys and commands' },
  { name: 'clear', about: 'a new session' },
  { name: 'resume', about: 'go on with another session' },
  { name: 'branch', about: 'go on in a copy of this session' },
  { name: 'tree', about: 'the branches of this conversation' },
  { name: 'rewind', about: 'back to an earlier prompt: conversation, files or both' },
  { name: 'compact', hint: '[what to keep]', about: 'what was said becomes a summary, to go on from' },
  { name: 'model', hint: '[NAME]', about: 'another model' },
  { name: 'cost', about: 'what the session used and cost' },
  { name: 'context', about: 'what fills the context' },
  { name: 'export', hint: '[FILE]', about: 'the conversation as a file' },
  { name: 'rename', hint: 'TITLE', about: 'the title of the session' },
  { name: 'memory', about: 'files of instructions that hold here' },
  { name: 'mcp', hint: '[WHAT NAME]', about: 'MCP servers; approve, reject, enable, disable or reconnect one' },
  { name: 'hooks', about: 'hooks that are set up' },
  { name: 'agents', about: 'kinds of agents it can start' },
  { name: 'exit', about: 'end' },
];
