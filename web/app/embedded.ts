/** The same questions answered from data that lies in the page, for exported files. */
import { agentKey, callKey, type EmbeddedChat } from '../../src/views/page/embedded.ts';
import { type Api, ApiError } from './api.ts';

export function embeddedApi(data: EmbeddedChat): Api {
  const branchOf = (branch: number) =>
    data.branches.find(({ page }) => page.branch === branch) ?? missing('This branch is not in the file.');
  return {
    served: false,
    chats: async () => ({ chats: data.branches.slice(0, 1).map(({ page }) => page.chat), demo: false, problems: [] }),
    chat: async (_id, branch) => branchOf(branch ?? data.branch).page,
    turns: async (_id, branch, from, to) => {
      const { page, turns } = branchOf(branch);
      return { version: page.version, turns: turns.slice(from, to) };
    },
    part: async () => missing('This part is not in the file.'),
    find: async (_id, uuid) => {
      for (const { page, turns } of data.branches) {
        for (const turn of turns) {
          const item = turn.items.findIndex((each) => each.uuid === uuid);
          if (item >= 0) return { branch: page.branch, index: turn.index, item, calls: [] };
          if (turn.uuid === uuid) return { branch: page.branch, index: turn.index, item: null, calls: [] };
        }
      }
      return missing('This entry is not in the file.');
    },
    call: async (_id, _branch, callId, agent) =>
      data.calls[callKey(callId, agent)] ?? missing('The contents of this call are not in the file.'),
    agent: async (_id, run) => data.agents[agentKey(run)] ?? missing('This sub-agent is not in the file.'),
    search: async () => onlyServed(),
    usage: async () => onlyServed(),
    tools: async () => onlyServed(),
    explain: async () => onlyServed(),
    teamUsage: async () => onlyServed(),
    status: async () => ({ working: null }),
    reveal: async () => missing('Secrets were left out when the file was made.'),
    revealAll: () => {},
    listen: () => () => {},
    exportUrl: () => null,
    openFile: async () => onlyServed(),
    edit: async () => onlyServed(),
  };
}

function missing(what: string): never {
  throw new ApiError(what, 'Export the chat again to have it.', 404);
}

function onlyServed(): never {
  throw new ApiError('An exported file holds one chat only.', 'Run `skein serve` for this.', 404);
}
