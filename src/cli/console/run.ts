/** `skein chat` in a terminal: from the first prompt to the end, turn by turn. */
import { ProcessTerminal } from '@earendil-works/pi-tui/dist/terminal.js';
import type { Agent } from '../../agent/agenttypes.ts';
import type { TurnPrompt } from '../../agent/ports.ts';
import { wordsOf as promptText } from '../../agent/transcript/prompts.ts';
import { asNumber } from '../../format/json.ts';
import { safeLine, safeText } from '../../views/safe.ts';
import { isError } from '../chat/result.ts';
import type { Chosen } from '../chat/session.ts';
import { keepHeapSmall } from '../memory.ts';
import { createApp } from './app.ts';
import { completions } from './complete.ts';
import { WITHOUT_KEY } from './firstrun.ts';
import type { ConsoleHost } from './host.ts';
import { withImages } from './images.ts';
import { createKeys } from './keys.ts';
import { useHighlight } from './markdown.ts';
import { paletteFor } from './palette.ts';
import { askPerson } from './questions.ts';
import { recall } from './recall.ts';
import { restoring } from './restore.ts';
import { ruleFor } from './rules.ts';
import { runSlash, type SlashHost } from './slash.ts';
import { notesOf, resumeHint, wordsOf } from './words.ts';

/** As SIGHUP ends a process. */
const HANGUP = 129;

/** A turn that took longer ends with a bell. */
const LONG_MS = 10_000;

export async function runScreen(host: ConsoleHost): Promise<number> {
  const { signals } = host;
  const palette = paletteFor(host.isColored);
  const terminal = new ProcessTerminal();
  let turn: AbortController | undefined;
  /** Somebody wants to go: what waits is not begun any more. */
  let isEnded = false;
  const inbox: string[] = host.prompt === '' ? [] : [host.prompt];
  let waiting: (() => void) | undefined;
  const wake = () => {
    waiting?.();
    waiting = undefined;
  };
  const end = () => {
    isEnded = true;
    turn?.abort();
    wake();
  };
  const say = (text: string) => {
    inbox.push(text);
    wake();
  };

  const keys = createKeys({
    app: () => app,
    isBusy: () => turn !== undefined,
    stop: () => turn?.abort(),
    end,
    say,
    agent: () => agent,
    typed: host.typed,
    cwd: host.cwd,
  });
  const app = createApp({
    terminal,
    palette,
    cwd: host.cwd,
    now: host.now,
    status: () => ({
      model: agent?.model ?? '',
      mode: agent?.mode ?? '',
      window: agent === undefined ? 0 : (asNumber(agent.limits(agent.model).contextWindow) ?? 0),
      gitBranch: host.gitBranch(),
    }),
    signal: signals.signal,
    onKey: keys.onKey,
    onSubmit: (text) => submit(text),
  });
  let agent: Agent | undefined;

  const title = (mark: string) => terminal.setTitle(safeLine(`${mark} ${host.cwd.split('/').at(-1) ?? ''}`));
  const bell = () => terminal.write('\u0007');
  const trouble = (error: unknown) => app.put({ kind: 'note', tone: 'bad', text: safeText(wordsOf(error)) });
  const parts = {
    watch: app.tell,
    ask: (asked: Parameters<typeof askPerson>[0], why: string) => {
      bell();
      const { choose } = app;
      const keepRule = (rule: string) => void host.keepRule(rule).catch(trouble);
      return askPerson(asked, why, { palette, cwd: host.cwd, choose, ruleFor, keepRule, stop: () => turn?.abort() });
    },
    notice: (words: string) => app.put({ kind: 'note', tone: 'warn', text: safeText(words) }),
  };
  let isLeft = false;
  const opened = (now: Agent) => {
    agent = now;
    isLeft = false;
    const { used, isGuess } = now.tokens();
    const costUSD = asNumber(now.costState()?.totalCostUSD) ?? 0;
    app.tell({ kind: 'session', context: isGuess ? undefined : used, costUSD });
    app.editor.setAutocompleteProvider(completions(now, host));
    title('skein ·');
    return now;
  };
  const leave = async (reason = 'resume') => {
    if (!isLeft) await agent?.close(reason);
    isLeft = true;
  };
  /** Another session in the place of this one. */
  const change = async (chosen: Chosen, words: string) => {
    const before = agent;
    await leave(chosen.kind === 'new' ? 'clear' : 'resume');
    if (before?.isBegun && !('file' in chosen && chosen.file === before.file))
      app.put({ kind: 'note', tone: 'dim', text: resumeHint(before.sessionId) });
    const now = opened(await host.open(parts, chosen));
    app.put({ kind: 'note', tone: 'dim', text: words });
    if (chosen.kind === 'resume' && chosen.file !== before?.file) await recall(app, host, now.sessionId);
  };

  function submit(text: string): void {
    if (text.trim() === '') return;
    app.editor.addToHistory(text);
    if (turn === undefined) say(text);
    else if (/^\s*\/(?:exit|quit)\s*$/.test(text)) end();
    else if (/^[!/]/.test(text)) later(text);
    else keys.queue(text);
  }

  /** Commands are not for the model: they come after the turn. */
  function later(text: string): void {
    inbox.push(text);
    app.hint('comes after this turn');
  }

  /** However it ends, keys are for the next prompt again. */
  const busy = async <T>(work: (signal: AbortSignal) => Promise<T> | undefined): Promise<T | undefined> => {
    turn = new AbortController();
    const clock = setInterval(() => app.screen.requestRender(), 1000);
    try {
      return await work(turn.signal);
    } finally {
      clearInterval(clock);
      turn = undefined;
    }
  };
  const runTurn = async (now: Agent, content: TurnPrompt['content'], source: TurnPrompt['source']) => {
    const began = host.now();
    // While the model is waited for there is time.
    void import('./highlight.ts').then(({ highlight }) => useHighlight(highlight));
    app.tell({ kind: 'began', prompt: promptText(content), isNotice: source === 'notice' });
    title('✻');
    const ended = await busy((signal) => now.turn({ content, source }, signal)).catch(trouble);
    title('skein ·');
    // It may go on for hours.
    keepHeapSmall();
    app.tell({ kind: 'ended', costUSD: ended?.costUSD ?? 0, isInterrupted: ended?.reason === 'interrupted' });
    if (ended === undefined) return;
    // Said without a model: by a command of ours, or by a hook.
    if (ended.rounds === 0 && !isError(ended) && ended.text !== '') app.put({ kind: 'output', text: ended.text });
    for (const text of notesOf(ended, host.limits)) app.put({ kind: 'note', tone: 'bad', text });
    if (host.now() - began > LONG_MS) bell();
  };
  const shell = async (command: string) => {
    app.hint(`running ${safeLine(command)}`);
    return busy((signal) => agent?.shell(command, signal)).finally(() => app.hint(''));
  };
  const sayNow = async (text: string) => {
    if (agent !== undefined) await runTurn(agent, withImages(text, host.cwd), 'typed');
  };
  const slash: SlashHost = { app, host, palette, agent: () => agent, change, leave, turn: sayNow, shell, end };

  const restore = restoring(() => signals.stop(HANGUP));
  signals.signal.addEventListener('abort', end, { once: true });
  try {
    app.screen.start();
    const first = opened(await host.open(parts));
    for (const text of host.typed().toReversed()) app.editor.addToHistory(safeText(text));
    greet(first);
    if (first.keySource === 'none') app.put({ kind: 'answer', text: WITHOUT_KEY, goesOn: false });
    if (host.goesOn) await recall(app, host, first.sessionId);
    for (;;) {
      const now = agent ?? first;
      // First what was typed while it worked and came too late for the turn, or what is done in the background.
      const left = isEnded ? undefined : now.unqueue();
      if (left !== undefined) {
        if (!left.isNotice) app.tell({ kind: 'dequeued' });
        await runTurn(now, left.content, left.isNotice ? 'notice' : 'typed');
        continue;
      }
      const text = isEnded ? undefined : inbox.shift();
      if (text === undefined) {
        if (isEnded || signals.code !== undefined) break;
        const typed = new Promise<void>((resolve) => {
          waiting = resolve;
        });
        await Promise.race([typed, now.background() ?? typed]);
        continue;
      }
      try {
        if ((await runSlash(text, slash)) === 'turn') await runTurn(now, withImages(text, host.cwd), 'typed');
      } catch (error) {
        trouble(error);
        // A session that cannot be opened leaves us without one.
        if (isLeft) await change({ kind: 'new' }, 'A new session.');
      }
    }
  } finally {
    signals.signal.removeEventListener('abort', end);
    app.screen.wipe();
    // What the terminal still answers to our questions is not for the shell.
    if (signals.code === undefined) await terminal.drainInput(300, 30);
    app.screen.stop();
    restore.done();
    await leave('prompt_input_exit');
  }
  if (agent?.isBegun) process.stdout.write(`\n${resumeHint(agent.sessionId)}\n`);
  return signals.code ?? 0;

  function greet(now: Agent): void {
    const where = host.cwd.startsWith(`${host.home}/`) ? `~${host.cwd.slice(host.home.length)}` : host.cwd;
    const text = `${safeLine(now.model)} in ${safeLine(where)}`;
    app.put({ kind: 'note', tone: 'dim', text: `✻ Skein ${host.version} · ${text}` });
  }
}
