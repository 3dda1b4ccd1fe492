/** The shell: projects | chats | chat, or search or usage in their place. At phone width one of them at a time. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { ChatView } from '../chat/ChatView.tsx';
import { Help } from '../help/Help.tsx';
import { Chats, Projects } from '../list/List.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { HitBar } from '../search/HitBar.tsx';
import { Search } from '../search/Search.tsx';
import { Usage } from '../usage/Usage.tsx';
import type { Api } from './api.ts';
import { Bar } from './Bar.tsx';
import { isCommand } from './keys.ts';
import { LiveContext, useLiveConnection } from './live.ts';
import { Resizer } from './Resizer.tsx';
import { useRemembered } from './remembered.ts';
import { go, listParams, type Route, useRoute } from './router.ts';
import { useTheme } from './theme.ts';
import { useChatList } from './useChatList.ts';

export function App({ api }: { readonly api: Api }) {
  const live = useLiveConnection(api);
  return (
    <LiveContext.Provider value={live}>
      <Shell api={api} connected={live.connected} />
    </LiveContext.Provider>
  );
}

function Shell({ api, connected }: { readonly api: Api; readonly connected: boolean }) {
  const route = useRoute();
  const [theme, switchTheme] = useTheme();
  const [help, setHelp] = useState(false);
  const list = useChatList(api);
  useShellKeys(route, { switchTheme, help: () => setHelp((open) => !open) });
  return (
    <div class="shell" data-page={route.page}>
      <Bar route={route} theme={theme} connected={connected} onTheme={switchTheme} onHelp={() => setHelp(true)} />
      {route.page === 'search' ? (
        <main class="whole">
          <Search api={api} route={route} list={list.value} />
        </main>
      ) : route.page === 'usage' ? (
        <main class="whole">
          <Usage api={api} route={route} list={list.value} />
        </main>
      ) : (
        <Columns api={api} route={route} list={{ list: list.value, error: list.error, retry: list.retry, route }} />
      )}
      {help && (
        <Dialog title="Keys" onClose={() => setHelp(false)}>
          <Help />
        </Dialog>
      )}
    </div>
  );
}

function Columns({
  api,
  route,
  list,
}: {
  readonly api: Api;
  readonly route: Route;
  readonly list: Parameters<typeof Chats>[0];
}) {
  const box = useRef<HTMLDivElement>(null);
  const [projects, setProjects] = useRemembered('width.projects', '190');
  const [chats, setChats] = useRemembered('width.chats', '340');
  useEffect(() => {
    box.current?.style.setProperty('--projects', `${projects}px`);
    box.current?.style.setProperty('--chats', `${chats}px`);
  }, [projects, chats]);
  return (
    <div class="columns" ref={box}>
      <nav class="column projects" aria-label="Projects">
        <Projects {...list} />
      </nav>
      <Resizer
        label="Width of projects"
        width={Number(projects)}
        min={120}
        max={420}
        onWidth={(w) => setProjects(String(w))}
      />
      <section class="column chats" aria-label="Chats">
        <Chats {...list} />
      </section>
      <Resizer label="Width of chats" width={Number(chats)} min={200} max={720} onWidth={(w) => setChats(String(w))} />
      <main class="column chat">
        {route.id === null ? <Nothing /> : <ChatView key={route.id} api={api} route={route} />}
        {route.id !== null && <HitBar api={api} route={route} />}
      </main>
    </div>
  );
}

function Nothing() {
  return (
    <div class="state">
      <p class="state-what">No chat is open</p>
      <p class="quiet">
        Choose one from the list, or press <kbd>/</kbd> to search all of them.
      </p>
    </div>
  );
}

function useShellKeys(route: Route, does: { switchTheme: () => void; help: () => void }): void {
  const latest = useRef({ route, does });
  latest.current = { route, does };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isCommand(event) || document.querySelector('dialog[open]')) return;
      const { route: now, does: act } = latest.current;
      if (event.key === '/') go({ page: 'search' });
      else if (event.key === 'u') go({ page: 'usage' });
      else if (event.key === 'h') go({ page: 'chats', params: listParams(now) });
      else if (event.key === 't') act.switchTheme();
      else if (event.key === '?') act.help();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
