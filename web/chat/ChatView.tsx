/** The third column: one chat. */
import { useState } from 'preact/hooks';
import type { ChatPage } from '../../src/views/page/types.ts';
import type { Api } from '../app/api.ts';
import { useRemembered } from '../app/remembered.ts';
import { go, type Route, withParams } from '../app/router.ts';
import { EditDialog, type Editing } from '../edit/EditDialog.tsx';
import { TreeMap } from '../map/TreeMap.tsx';
import { copyText } from '../parts/clipboard.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Failed } from '../parts/Failed.tsx';
import { useSay } from '../parts/useSay.tsx';
import { ChatHeader } from './ChatHeader.tsx';
import type { ChatStore } from './store.ts';
import { Transcript } from './Transcript.tsx';
import { useChat } from './useChat.ts';

const MOST_PRINTED_TURNS = 300;

export interface ChatViewProps {
  readonly api: Api;
  /** Its `id` is the chat; `params.branch` counts from 1, `params.at` is an entry to go to. */
  readonly route: Route;
}

export function ChatView({ api, route }: ChatViewProps) {
  const [revealAll, setRevealAll] = useState(false);
  const [map, setMap] = useState(false);
  const [editing, setEditing] = useState<Editing>();
  const [outline, setOutline] = useRemembered('outline', 'on');
  const { say, spoken } = useSay();
  const { store, error, retry } = useChat(api, route.id ?? '', branchOf(route), revealAll);
  if (store === undefined) return error === undefined ? <Loading /> : <Failed error={error} retry={retry} />;
  const { page } = store.data();
  const toBranch = (branch: number, at?: string | null) =>
    go(withParams(route, { branch: String(branch + 1), at: at === undefined ? route.params.at : (at ?? undefined) }), {
      replace: at === undefined,
    });
  const does = {
    onOutline: () => setOutline(outline === 'on' ? 'off' : 'on'),
    onMap: () => setMap(true),
    onResume: () => void copyResume(page, say),
  };
  const onKey = (key: string) => {
    if (key === 'm') does.onMap();
    else if (key === 'i') does.onOutline();
    else if (key === 'r') does.onResume();
    else return false;
    return true;
  };
  return (
    <div class="chat-view">
      <ChatHeader
        {...does}
        api={api}
        page={page}
        outline={outline === 'on'}
        revealAll={revealAll}
        onRevealAll={() => {
          api.revealAll(!revealAll);
          setRevealAll(!revealAll);
        }}
        onOpenFile={() => void openFile(api, page, say)}
        onPrint={() => void printAll(store, say)}
        onEdit={(verb) => setEditing({ verb })}
        onBranch={(branch) => toBranch(branch, null)}
      />
      {error !== undefined && (
        <p class="chat-error" role="alert">
          {error.message} {error.next}{' '}
          <button type="button" class="link-button" onClick={retry}>
            Try again
          </button>
        </p>
      )}
      <Transcript
        api={api}
        route={route}
        store={store}
        outline={outline === 'on'}
        say={say}
        onBranch={(branch, at) => toBranch(branch, at)}
        onClone={(at) => setEditing({ verb: 'clone', at })}
        onKey={onKey}
      />
      {map && (
        <Dialog title="Map of the chat" wide onClose={() => setMap(false)}>
          <TreeMap
            page={page}
            onGo={(branch, uuid) => {
              setMap(false);
              toBranch(branch, uuid);
            }}
          />
        </Dialog>
      )}
      {editing && (
        <EditDialog
          key={`${editing.verb} ${page.branch}`}
          api={api}
          page={page}
          editing={editing}
          say={say}
          onClose={() => setEditing(undefined)}
        />
      )}
      {spoken}
    </div>
  );
}

function branchOf({ params }: Route): number | null {
  const number = Number(params.branch);
  return Number.isInteger(number) && number > 0 ? number - 1 : null;
}

async function copyResume({ resume }: ChatPage, say: (text: string) => void): Promise<void> {
  if (resume.command === null) return say(resume.reason ?? 'This chat cannot be resumed');
  say((await copyText(resume.command)) ? `Copied: ${resume.command}` : 'Could not copy');
}

/** All turns are brought in first; of a very long chat the first. */
async function printAll(store: ChatStore, say: (text: string) => void): Promise<void> {
  const { length } = store.data().page.turns;
  const most = Math.min(length, MOST_PRINTED_TURNS);
  if (most < length) say(`Only the first ${most} of ${length} turns are printed; export the chat to have them all`);
  store.keepAll();
  for (let from = 0; from < most; from += 50) await store.need(from, Math.min(most, from + 50));
  requestAnimationFrame(() => print());
}

async function openFile(api: Api, { chat }: ChatPage, say: (text: string) => void): Promise<void> {
  try {
    await api.openFile(chat.id);
    say('Shown in the file manager');
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  }
}

function Loading() {
  return (
    <div class="chat-loading" role="status" aria-label="Loading the chat">
      <div class="skeleton" />
      <div class="skeleton" />
      <div class="skeleton" />
    </div>
  );
}
