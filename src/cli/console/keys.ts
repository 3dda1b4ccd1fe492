/** What keys do beside writing: stop, go back, change the mode, look up what was typed. */
import { randomUUID } from 'node:crypto';
import type { Agent } from '../../agent/agenttypes.ts';
import type { Mode } from '../../agent/gate.ts';
import { safeLine, safeText } from '../../views/safe.ts';
import type { App } from './app.ts';
import { dialogOf } from './dialog.ts';
import { withImages } from './images.ts';
import type { Screen } from './screen.ts';

export interface KeysHost {
  app(): App;
  isBusy(): boolean;
  stop(): void;
  end(): void;
  say(text: string): void;
  agent(): Agent | undefined;
  typed(): readonly string[];
  readonly cwd: string;
}

export interface Keys {
  /** True: it is done with. */
  onKey(key: string): boolean;
  /** Typed while the model works. */
  queue(text: string): void;
}

/** Twice within this means it. */
const TWICE_MS = 1500;

const NEXT_MODE: Readonly<Record<string, Mode>> = { default: 'acceptEdits', acceptEdits: 'plan', plan: 'default' };

const STOPPED_MS = 50;

/** Gives the terminal back to the shell, until it says to go on. */
function suspend(screen: Screen): void {
  if (process.platform === 'win32') return;
  screen.wipe();
  screen.stop();
  process.kill(0, 'SIGTSTP');
  // Time stands still until we are continued; where no shell could do that, the system does not stop us.
  setTimeout(() => {
    screen.start();
    screen.renderNow();
  }, STOPPED_MS);
}

export function createKeys(host: KeysHost): Keys {
  let before: { readonly key: string; readonly at: number } | undefined;
  /** Names of what waits, in the order it was typed. */
  let waiting: { readonly uuid: string; readonly text: string }[] = [];

  const isTwice = (key: string): boolean => {
    const now = performance.now();
    const twice = before?.key === key && now - before.at < TWICE_MS;
    before = twice ? undefined : { key, at: now };
    return twice;
  };

  const interrupt = (): boolean => {
    const { editor, hint } = host.app();
    if (host.isBusy()) host.stop();
    else if (editor.getText() !== '') {
      editor.setText('');
      before = undefined;
    } else if (isTwice('ctrl+c')) host.end();
    else hint('Ctrl-C again to leave');
    return true;
  };

  const goBack = (): boolean => {
    const { editor, hint } = host.app();
    // A list of completions is closed by it.
    if (editor.isShowingAutocomplete()) return false;
    if (host.isBusy()) host.stop();
    else if (isTwice('escape')) {
      if (editor.getText() === '') host.say('/rewind');
      else editor.setText('');
    } else hint(editor.getText() === '' ? 'Esc again to go back to an earlier prompt' : 'Esc again to clear');
    return true;
  };

  const changeMode = (): boolean => {
    const agent = host.agent();
    if (agent === undefined) return true;
    // Asking nothing at all is offered to those who began with it.
    const isLast = agent.mode === 'plan' && agent.mayBypass;
    agent.setMode(isLast ? 'bypassPermissions' : (NEXT_MODE[agent.mode] ?? 'default'));
    host.app().screen.requestRender();
    return true;
  };

  const takeBack = (): boolean => {
    const app = host.app();
    const last = waiting.at(-1);
    if (app.state.queue.length === 0 || last === undefined || app.editor.getText() !== '') return false;
    waiting = waiting.slice(0, -1);
    if (host.agent()?.withdraw(last.uuid) !== true) return false;
    app.tell({ kind: 'taken-back' });
    app.editor.setText(last.text);
    return true;
  };

  const search = (): boolean => {
    const app = host.app();
    const all = [...new Set(host.typed())];
    const options = all.map((text) => ({ label: safeLine(text.slice(0, 300)) }));
    void app.choose(dialogOf({ title: 'What you typed before', options, filter: '' })).then((chosen) => {
      const text = chosen && all[chosen.index];
      if (text !== undefined) app.editor.setText(safeText(text));
      app.screen.requestRender();
    });
    return true;
  };

  const onKey = (key: string): boolean => {
    const { editor, openFolded, screen } = host.app();
    if (key !== 'escape' && key !== 'ctrl+c') before = undefined;
    switch (key) {
      case 'ctrl+c':
        return interrupt();
      case 'escape':
        return goBack();
      case 'shift+tab':
        return changeMode();
      case 'ctrl+r':
        return search();
      case 'ctrl+l':
        screen.wipe();
        screen.requestRender();
        return true;
      case 'ctrl+z':
        suspend(screen);
        return true;
      case 'ctrl+o':
        openFolded();
        return true;
      case 'up':
        return takeBack();
      case 'ctrl+d':
        if (editor.getText() !== '') return false;
        host.end();
        return true;
      case '?':
        if (editor.getText() !== '' || host.isBusy()) return false;
        host.say('/help');
        return true;
      default:
        return false;
    }
  };

  return {
    onKey,
    queue: (text) => {
      const uuid = randomUUID();
      waiting = [...waiting.filter((each) => host.agent()?.waiting().includes(each.uuid)), { uuid, text }];
      host.agent()?.queue(withImages(text, host.cwd), uuid);
      host.app().tell({ kind: 'queued', text });
    },
  };
}
