/** The options of `skein acp`: those of `skein chat` that do not choose a session or a way to print. */
import { CHAT_OPTIONS } from '../chat/options.ts';

const NAMES = [
  'model',
  'fallback-model',
  'thinking',
  'max-turns',
  'max-budget-usd',
  'system-prompt',
  'system-prompt-file',
  'append-system-prompt',
  'append-system-prompt-file',
  'add-dir',
  'tools',
  'allowedTools',
  'disallowedTools',
  'permission-mode',
  'sandbox',
  'dangerously-skip-permissions',
  'allow-dangerously-skip-permissions',
  'mcp-config',
  'strict-mcp-config',
  'mcp-debug',
  'agents',
  'settings',
  'setting-sources',
  'root',
] as const satisfies readonly (keyof typeof CHAT_OPTIONS)[];

export const ACP_OPTIONS = Object.fromEntries(NAMES.map((name) => [name, CHAT_OPTIONS[name]]));
