/** The one place that says what an entry is (E3, E15). */
import type { Head } from './head.ts';

/** Every entry type the client was seen to write. A type that is not here is `unknown`: data, not an error. */
export const ENTRY_TYPES = [
  'user',
  'assistant',
  'system',
  'summary',
  'progress',
  'attachment',
  'file-history-snapshot',
  'file-history-delta',
  'queue-operation',
  'pr-link',
  'custom-title',
  'ai-title',
  'agent-name',
  'tag',
  'mode',
  'permission-mode',
  'last-prompt',
  'cost-state',
  'tools-used',
  'atis-latch',
  'api-request',
  'api-request-shape',
  'api-request-blob',
] as const;

export type EntryType = (typeof ENTRY_TYPES)[number];
export type Kind = EntryType | 'unknown' | 'unreadable' | 'blank';

const KNOWN: ReadonlySet<string> = new Set(ENTRY_TYPES);

function isEntryType(type: string): type is EntryType {
  return KNOWN.has(type);
}

/** E15: role = `type`, else `message.role`; a missing type is not an unknown type. */
export function kindOf(head: Head): Kind {
  const type = head.type ?? head.message?.role;
  return type !== undefined && isEntryType(type) ? type : 'unknown';
}
