/** Every verb, with its module loaded only when it is used. The order is that of `skein --help`. */
import type { Command } from './command.ts';

interface Verb {
  readonly name: string;
  readonly group: 'work' | 'look' | 'rewrite' | 'keep' | 'tools';
  readonly load: () => Promise<Command>;
}

export const VERBS: readonly Verb[] = [
  { name: 'chat', group: 'work', load: async () => (await import('./commands/chat.ts')).chat },
  { name: 'acp', group: 'work', load: async () => (await import('./commands/acp.ts')).acp },
  { name: 'list', group: 'look', load: async () => (await import('./commands/list.ts')).list },
  { name: 'show', group: 'look', load: async () => (await import('./commands/show.ts')).show },
  { name: 'tree', group: 'look', load: async () => (await import('./commands/tree.ts')).tree },
  { name: 'search', group: 'look', load: async () => (await import('./commands/search.ts')).search },
  { name: 'cat', group: 'look', load: async () => (await import('./commands/cat.ts')).cat },
  { name: 'follow', group: 'look', load: async () => (await import('./commands/follow.ts')).follow },
  { name: 'usage', group: 'look', load: async () => (await import('./commands/usage.ts')).usage },
  { name: 'check', group: 'look', load: async () => (await import('./commands/check.ts')).check },
  { name: 'context', group: 'look', load: async () => (await import('./commands/context.ts')).context },
  { name: 'diff', group: 'look', load: async () => (await import('./commands/diff.ts')).diff },
  { name: 'serve', group: 'look', load: async () => (await import('./commands/serve.ts')).serve },
  { name: 'clone', group: 'rewrite', load: async () => (await import('./commands/clone.ts')).clone },
  { name: 'slim', group: 'rewrite', load: async () => (await import('./commands/slim.ts')).slim },
  { name: 'compress', group: 'rewrite', load: async () => (await import('./commands/compress.ts')).compress },
  { name: 'repair', group: 'rewrite', load: async () => (await import('./commands/repair.ts')).repair },
  { name: 'move', group: 'rewrite', load: async () => (await import('./commands/move.ts')).move },
  { name: 'merge', group: 'rewrite', load: async () => (await import('./commands/merge.ts')).merge },
  { name: 'rewind', group: 'rewrite', load: async () => (await import('./commands/rewind.ts')).rewind },
  { name: 'undo', group: 'rewrite', load: async () => (await import('./commands/undo.ts')).undo },
  { name: 'export', group: 'keep', load: async () => (await import('./commands/export.ts')).exportChats },
  { name: 'archive', group: 'keep', load: async () => (await import('./commands/archive.ts')).archive },
  { name: 'team', group: 'keep', load: async () => (await import('./commands/team.ts')).team },
  { name: 'hook', group: 'keep', load: async () => (await import('./commands/hook.ts')).hook },
  { name: 'config', group: 'tools', load: async () => (await import('./commands/config.ts')).config },
  { name: 'mcp', group: 'tools', load: async () => (await import('./commands/mcp.ts')).mcp },
  { name: 'completion', group: 'tools', load: async () => (await import('./commands/completion.ts')).completion },
];

export const GROUPS = { work: 'Work', look: 'Look', rewrite: 'Rewrite', keep: 'Keep', tools: 'Tools' } as const;

export function findVerb(name: string): Verb | undefined {
  return VERBS.find((verb) => verb.name === name);
}
