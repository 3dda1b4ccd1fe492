/** One chat, with a line above it that says where it comes from and, when asked for at export, a line below that plays it. */
import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import type { ExportedData } from '../../src/views/export/data.ts';
import type { EmbeddedChat } from '../../src/views/page/embedded.ts';
import type { Api } from '../app/api.ts';
import { embeddedApi } from '../app/embedded.ts';
import { isCommand } from '../app/keys.ts';
import { LiveContext, useLiveConnection } from '../app/live.ts';
import { useRoute } from '../app/router.ts';
import { useTheme } from '../app/theme.ts';
import { ChatView } from '../chat/ChatView.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Icon } from '../parts/icons.tsx';
import { About } from './About.tsx';
import { ChatKeys } from './ChatKeys.tsx';
import { Player } from './Player.tsx';
import { createReplay, type Replay } from './replay.ts';

export function StandalonePage({ data }: { readonly data: ExportedData }) {
  const [replay] = useState(() => (data.replay ? createReplay(data.chat) : undefined));
  const [api] = useState(() => replay?.api ?? embeddedApi(data.chat));
  return <Framed data={data} api={api} replay={replay} />;
}

function Framed({
  data,
  api,
  replay,
}: {
  readonly data: ExportedData;
  readonly api: Api;
  readonly replay: Replay | undefined;
}) {
  const live = useLiveConnection(api);
  const [theme, switchTheme] = useTheme();
  const [open, setOpen] = useState<'about' | 'keys' | undefined>(undefined);
  const route = useRoute();
  useKeys({ t: switchTheme, '?': () => setOpen('keys') });
  const id = data.chat.branches[0]?.page.chat.id ?? '';
  const branch = branchOf(route.params.branch, data.chat);
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  useEffect(() => replay?.onStep(() => redraw(undefined)), [replay]);
  // The page goes to what a step brings, as it would to a link.
  const at = replay === undefined || replay.step() === 1 ? route.params.at : replay.newest(branch);
  return (
    <LiveContext.Provider value={live}>
      <div class="shell standalone" data-page="chat" data-replay={replay !== undefined}>
        <header class="bar">
          <span class="bar-name">Skein</span>
          <button type="button" class="bar-link standalone-about" onClick={() => setOpen('about')}>
            {data.about[0]}
          </button>
          <span class="bar-space" />
          <button
            type="button"
            class="icon-button"
            onClick={switchTheme}
            aria-label="Light or dark (t)"
            title="Look (t)"
          >
            <Icon name={theme === 'dark' ? 'moon' : 'sun'} />
          </button>
          <button
            type="button"
            class="icon-button"
            onClick={() => setOpen('keys')}
            aria-label="Keys (?)"
            title="Keys (?)"
          >
            <Icon name="help" />
          </button>
        </header>
        <main class="standalone-chat">
          <ChatView
            api={api}
            route={{ page: 'chat', id, params: { ...route.params, ...(at !== undefined && { at }) } }}
          />
        </main>
        {replay && <Player replay={replay} branch={branch} />}
        {open === 'about' && (
          <Dialog title="About this file" onClose={() => setOpen(undefined)}>
            <About data={data} />
          </Dialog>
        )}
        {open === 'keys' && (
          <Dialog title="Keys" onClose={() => setOpen(undefined)}>
            <ChatKeys replay={replay !== undefined} />
          </Dialog>
        )}
      </div>
    </LiveContext.Provider>
  );
}

/** As the chat's page reads it from the address. */
function branchOf(param: string | undefined, chat: EmbeddedChat): number {
  const number = Number(param);
  return Number.isInteger(number) && number > 0 ? number - 1 : chat.branch;
}

function useKeys(does: Readonly<Record<string, () => void>>): void {
  const latest = useRef(does);
  latest.current = does;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isCommand(event) || document.querySelector('dialog[open]')) return;
      const act = Object.hasOwn(latest.current, event.key) ? latest.current[event.key] : undefined;
      if (act === undefined) return;
      act();
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
