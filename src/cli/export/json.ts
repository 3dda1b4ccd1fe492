/** `skein export json`: what `skein show --json` prints, as a file. */
import { turnJson } from '../../views/json.ts';
import { branchJson } from '../chatjson.ts';
import { chatJson } from '../commands/show.ts';
import { jsonText } from '../jsontext.ts';
import type { SharedBranch, SharedChat } from './chats.ts';
import type { Format } from './format.ts';
import { reviewJson } from './review.ts';

export const json: Format = {
  extension: 'json',
  holds: 'blocks',
  *content(chat, review) {
    const { opened, branches, shownPath } = chat;
    const { found, leftOut } = reviewJson(review);
    const head = chatJson(opened);
    const sessions = head.sessions.map((session) => ({ ...session, file: shownPath(session.file) }));
    yield `{\n"chat": ${text({ ...head, sessions })},\n`;
    const [only, ...others] = branches;
    if (only !== undefined && others.length === 0) yield* turnsText(chat, only);
    else {
      yield '"branches": [';
      for (const [index, each] of branches.entries()) {
        yield `${index === 0 ? '' : ','}\n{"branch": ${text(each.branch ? branchJson(each.branch) : null)},\n`;
        yield* turnsText(chat, each);
        yield '}';
      }
      yield ']';
    }
    yield `,\n"found": ${text(found)},\n"leftOut": ${text(leftOut)}\n}\n`;
  },
  index: ({ project, chats, review }) => `${text({ project, chats, ...reviewJson(review) })}\n`,
};

function* turnsText({ opened: { resolve, agentOf } }: SharedChat, { turns }: SharedBranch): Generator<string> {
  yield '"turns": [';
  for (const [index, turn] of turns.entries()) {
    yield `${index === 0 ? '' : ','}\n${text(turnJson(turn, { resolve, agentOf }))}`;
  }
  yield ']';
}

function text(value: object | null): string {
  return jsonText(value);
}
