/** The screen of all chats, at work: keys in, frames out, effects done. */
import { safeLine } from '../../views/safe.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { openMask } from '../mask.ts';
import { loadArchiveReader, placesOfProcess } from '../shelf.ts';
import type { Input } from '../terminal/input.ts';
import { runAway } from './away.ts';
import { chosen, projectNamed } from './choose.ts';
import { createJobs } from './jobs.ts';
import { type Loaded, load, orWhy, quietly, remembered, sizeNow } from './load.ts';
import type { Look } from './look.ts';
import { previewLines } from './preview.ts';
import { reduce, wantedPreview } from './reduce.ts';
import { resumeCall } from './resume.ts';
import { createScreen } from './screen.ts';
import { guard } from './signals.ts';
import { type Effect, type Event, initialState, type State } from './state.ts';
import type { VerbOptions } from './verbs.ts';
import { frameOf } from './view.ts';

/** The selection rests so long before its chat is read. */
const REST_MS = 40;

export async function browse(context: Context, args: Arguments): Promise<number> {
  let loaded = load(context, args);
  const quiet = quietly(context);
  const mask = remembered(await openMask(quiet, args));
  const { places, env } = placesOfProcess(args);
  const team = args.value('team') === undefined ? [] : places;
  const verbs: VerbOptions = {
    context: { ...context, env: { ...context.env, ...env } },
    roots: args.values('root'),
    team,
    reveals: args.flag('reveal'),
  };
  const look = (): Look => ({
    style: context.out.style,
    now: context.now(),
    home: context.home,
    mask,
    isKept: ({ file }) => file.source === undefined && loaded.library.known.updatedOf(file) !== undefined,
  });
  const screen = createScreen((text) => context.out.stream.write(text));
  const guarded = guard(screen, () => void suspend());
  const jobs = createJobs({ ...verbs, isColored: context.out.style.bold('x') !== 'x' }, (event) => tell(event));
  let state = begin(context, args, loaded);
  let resting: NodeJS.Timeout | undefined;
  let planned: NodeJS.Immediate | undefined;
  let input: Input | undefined;
  let isLeaving = false;

  const tell = (event: Event) => {
    const step = reduce(state, event);
    state = step.state;
    for (const effect of step.effects) perform(effect);
    planned ??= setImmediate(() => {
      planned = undefined;
      screen.paint(frameOf(state, look()));
    });
  };
  const onKey = (key: string, text: string) => {
    if (screen.isEntered && !isLeaving) tell({ kind: 'key', key, text });
  };
  const onResize = () => {
    screen.forget();
    tell({ kind: 'resize', size: sizeNow() });
  };
  const enter = () => {
    screen.enter();
    input?.start(onKey, onResize);
    onResize();
  };
  const leave = async () => {
    if (!screen.isEntered) return;
    isLeaving = true;
    await input?.stop();
    isLeaving = false;
    screen.leave();
  };

  const perform = (effect: Effect): void => {
    switch (effect.kind) {
      case 'quit':
        guarded.end(0);
        break;
      case 'suspend':
        void suspend();
        break;
      case 'stop':
        jobs.stop();
        break;
      case 'reload':
        void reload();
        break;
      case 'preview':
        preview(effect);
        break;
      case 'read':
        jobs.read(effect);
        break;
      case 'run':
        void away(() => runAway.verb(verbs, effect.argv), effect.waits);
        break;
      case 'resume':
        resume(effect);
        break;
      default:
        jobs.ask(effect);
    }
  };

  const preview = (effect: Extract<Effect, { kind: 'preview' }>) => {
    clearTimeout(resting);
    resting = setTimeout(() => {
      if (!screen.isEntered) return;
      const lines = orWhy(() => previewLines(quiet, loaded.library, look(), effect));
      tell({ kind: 'previewed', key: effect.key, lines });
    }, REST_MS);
  };

  const reload = async () => {
    try {
      if (team.length === 0) await loadArchiveReader(quiet);
      loaded = load(quiet, args);
      tell({ kind: 'loaded', chats: loaded.chats, isDemo: loaded.library.demo, now: context.now().getTime() });
      // A team's file that was pushed again, or could not be read before, has the size it had: its preview is made anew.
      const again = wantedPreview(state);
      if (team.length > 0 && again !== undefined) perform(again);
    } catch (error) {
      const why = reasonOf(error);
      if (why === undefined) guarded.fail(error);
      // What was shown before is still worth looking at: a team's server may be away for a moment.
      else say(why);
    }
  };

  const say = (text: string) => tell({ kind: 'said', message: { tone: 'warn', text } });

  const resume = ({ chat, client }: Extract<Effect, { kind: 'resume' }>) => {
    const call = resumeCall(context, chat, client);
    if ('words' in call) say(call.words);
    else void away(() => runAway.command(call), false);
  };

  /** The terminal is another program's for a while. */
  const away = async (run: () => Promise<number>, waits: boolean) => {
    jobs.stop();
    try {
      await leave();
      const code = await run();
      if (waits) await runAway.key(context.out);
      enter();
      await reload();
      if (code !== 0 && !waits) say(`It ended with an error (exit ${code}).`);
    } catch (error) {
      guarded.fail(error);
    }
  };

  const suspend = async () => {
    const isOurs = screen.isEntered;
    await leave();
    guarded.suspendSelf(() => {
      if (isOurs) enter();
    });
  };

  try {
    // What is seen first needs no keys.
    screen.enter();
    screen.paint(frameOf(state, look()));
    const { openInput } = await import('../terminal/input.ts');
    input = openInput();
    if (screen.isEntered) input.start(onKey, onResize);
    const first = wantedPreview(state);
    if (first !== undefined) perform(first);
    return await guarded.ended;
  } finally {
    clearTimeout(resting);
    clearImmediate(planned);
    jobs.stop();
    await leave();
    guarded.close();
  }
}

/** Why it could not be looked at; undefined for a fault of ours. */
function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('where' in error) || !('next' in error)) return undefined;
  const what = 'what' in error ? String(error.what) : error.message;
  return safeLine(`${what}: ${error.where}. ${error.next}`);
}

function begin(context: Context, args: Arguments, { library, chats }: Loaded): State {
  const named = args.value('project');
  const project = named === undefined ? undefined : (projectNamed(chats, named) ?? named);
  const now = context.now().getTime();
  const state = chosen(initialState({ chats, isDemo: library.demo, size: sizeNow(), project, now }));
  const text = 'This is the demo set: there are no sessions here. Yours: skein --root DIR, or CLAUDE_CONFIG_DIR';
  if (library.team)
    return { ...state, message: { tone: 'dim', text: `These are the chats of the team ${library.team.name}.` } };
  return library.demo ? { ...state, message: { tone: 'warn', text } } : state;
}
