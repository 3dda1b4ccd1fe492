/** How to go on with a chat in the client. */
import type { ChatPage } from '../../views/page/types.ts';
import type { ListedChat } from '../chats.ts';
import { resumeCommandOf } from '../search/places.ts';

export function resumeOf({ head, cwd, file }: ListedChat): ChatPage['resume'] {
  if (file.kind === 'agent') return { command: null, reason: 'A sub-agent goes on only in its own session.' };
  if (file.source === 'archive') {
    return { command: null, reason: `Its file is gone from disk. Bring it back first: skein archive restore ${head}` };
  }
  if (file.source === 'team') return { command: null, reason: 'It is a team’s: its file is not on this machine.' };
  if (file.source === 'history') return { command: null, reason: 'Only its prompts are left, in history.jsonl.' };
  return { command: resumeCommandOf(head, cwd, file.file), reason: null };
}
