/** The viewer's questions, answered with what the verbs are made of. */
import type { Questions } from '../../server/questions.ts';
import type { ListedChat } from '../chats.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../errors.ts';
import { quoted } from '../quoted.ts';
import type { Catalog } from './catalog.ts';
import type { Children } from './children.ts';
import { showInFolder } from './desktop.ts';
import { edited } from './edits.ts';
import { exported } from './exported.ts';
import type { Keeping } from './keeping.ts';
import { createOpenChats, type OpenChat } from './openchats.ts';
import * as pages from './pages.ts';
import { searchFor } from './search.ts';
import { createUsage } from './usage.ts';

export interface Answering {
  readonly context: Context;
  readonly args: Arguments;
  readonly catalog: Catalog;
  readonly keeping: Keeping;
  readonly children: Children;
}

export function createQuestions({ context, args, catalog, keeping, children }: Answering): Questions {
  const chats = createOpenChats({
    now: () => context.now().getTime(),
    signal: context.signal,
    onOld: ({ id }, wait) => catalog.tellLater(id, wait),
  });
  const usage = createUsage(catalog, children);
  const teamUsage = createUsage(catalog, children, ['team', 'usage']);

  /** What is not there yet may come while all is read for the first time. What could not be looked at may be there all the same. */
  const find = async (id: string): Promise<ListedChat | undefined> => {
    if (catalog.find(id) === undefined && catalog.trouble === undefined) await catalog.whole;
    const listed = catalog.find(id);
    if (listed === undefined && catalog.trouble !== undefined) throw catalog.trouble;
    return listed;
  };
  const open = async (id: string): Promise<OpenChat | undefined> => {
    const listed = await find(id);
    return listed && catalog.library && chats.open(catalog.library, listed);
  };
  const rowOf = (id: string) => catalog.list.chats.find((row) => row.id === id);
  /** A branch that is not there is none. */
  const at = async (id: string, branch: number | undefined) => {
    const opened = await open(id);
    const place = branch ?? opened?.current ?? 0;
    if (opened === undefined || (place > 0 && opened.branchAt(place) === undefined)) return undefined;
    return { opened, place, branch: opened.branchAt(place), turns: opened.turnsOf(place) };
  };

  return {
    status: () => ({
      ...catalog.progress,
      archive: keeping.status,
      working: keeping.working,
      version: catalog.version,
    }),
    async chats() {
      await catalog.ready;
      return { version: catalog.version, list: catalog.list };
    },
    async chat(id, ask) {
      const found = await at(id, ask.branch);
      const row = found && rowOf(found.opened.listed.id);
      return found && row && pages.chatPage(found, row, ask);
    },
    async turns(id, ask) {
      const found = await at(id, ask.branch);
      return found && { version: found.opened.version, turns: pages.turnsPage(found, ask) };
    },
    async find(id, uuid) {
      const opened = await open(id);
      return opened && pages.placeOf(opened, uuid);
    },
    async call(id, callId, { mask, branch, agent }) {
      const found = await at(id, branch);
      return found && pages.callPage(found, callId, agent, mask);
    },
    async agent(id, agentId, { mask, call }) {
      const opened = await open(id);
      return opened && pages.agentPage(opened, agentId, call, mask);
    },
    search: (ask) => searchFor({ context, args, catalog, children }, ask),
    usage: (options, signal) => usage(options, [], signal),
    explain: (options, signal) => usage(options, ['--explain'], signal),
    async teamUsage(options, signal) {
      if (args.value('team') !== undefined) return teamUsage(options, [], signal);
      throw new CommandError('No team is shown.', 'skein serve', 'Show one: skein serve --team TEAM');
    },
    async export(id, format, ask) {
      const listed = await find(id);
      return listed && exported(children, listed, format, ask);
    },
    async open(id) {
      const listed = await find(id);
      if (listed === undefined) return false;
      if (listed.file.source === 'team') throw notHere(listed);
      if (listed.file.source !== undefined) {
        throw new CommandError('Its file is gone from disk.', listed.file.file, `skein archive restore ${listed.head}`);
      }
      await showInFolder(listed.file.file);
      return true;
    },
    async edit(id, ask) {
      const listed = await find(id);
      if (listed?.file.source === 'team') throw notHere(listed);
      return listed && edited({ children, catalog }, listed, ask);
    },
    listen: catalog.listen,
  };
}

function notHere({ file, head }: ListedChat): CommandError {
  const next = `As a file of yours: skein cat ${quoted(head)} --team TEAM > FILE.jsonl`;
  return new CommandError('It is a team’s: its file is not on this machine.', file.file, next);
}
