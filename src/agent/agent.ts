/** The parts put together: one session with its model, tools and gate, to be talked to turn by turn. */
import type { JsonObject } from '../format/json.ts';
import { type Consent, createGate, type Mode } from './gate.ts';
import { createSessionHooks, type SessionHooks } from './hooks/session.ts';
import { runTurn } from './loop.ts';
import { createModel } from './model/anthropic.ts';
import { DEFAULT_MODEL, factsOf, modelId } from './model/models.ts';
import { isOfTool } from './permissions/rules.ts';
import type { Rule } from './permissions/types.ts';
import type { Asked, LoopEvent, LoopParts, TurnEnd, TurnPrompt } from './ports.ts';
import { environmentText } from './prompt/environment.ts';
import { memoryText, readMemory } from './prompt/memory.ts';
import { systemPrompt } from './prompt/system.ts';
import { createQueue } from './queue.ts';
import type { Session } from './session.ts';
import type { HookSetting } from './settings/types.ts';
import { afterCall } from './tools/aftercall.ts';
import { shellOf } from './tools/shell/script.ts';
import { createToolSession } from './toolsession.ts';

type Content = TurnPrompt['content'];
type Env = Readonly<Record<string, string | undefined>>;

export interface AgentOptions {
  /** Opens the session; the agent closes it. `where` is where the work is, when `cd` moved it. */
  readonly open: (where: () => string) => Session;
  readonly cwd: string;
  readonly home: string;
  /** The config folder (L1). */
  readonly config: string;
  readonly env: Env;
  readonly version: string;
  /** Else ANTHROPIC_MODEL, else the one the session was last answered by, else that of the settings. */
  readonly model?: string;
  readonly settingsModel?: string;
  readonly fallbackModel?: string;
  /** Tokens; 0 is none. Models that decide themselves how long think unless told not to. */
  readonly thinking?: number;
  readonly maxTurns?: number;
  readonly maxBudgetUSD?: number;
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly folders: readonly string[];
  readonly tools?: readonly string[];
  /** Of flags and settings alike. */
  readonly rules: readonly Rule[];
  readonly mode: Mode;
  /** Of the settings. */
  readonly hooks?: readonly HookSetting[];
  /** It takes the place of another. */
  readonly isCleared?: boolean;
  /** Ends what is waited for as it begins. */
  readonly signal?: AbortSignal;
  /** The title of the session. */
  readonly name?: string;
  readonly ask?: (asked: Asked, why: string) => Promise<Consent>;
  readonly emit: (event: LoopEvent) => void;
  /** Told what a person should know and the model need not. */
  readonly notice: (words: string) => void;
  readonly now: () => Date;
}

export interface Agent {
  /** Changes when another program writes to the session: it goes on in a fork. */
  readonly sessionId: string;
  readonly file: string;
  readonly cwd: string;
  readonly folders: readonly string[];
  readonly model: string;
  readonly mode: string;
  readonly tools: readonly string[];
  /** Commands that can be called, without the slash. */
  readonly commands: readonly string[];
  readonly skills: readonly string[];
  readonly version: string;
  /** The variable the key comes from. */
  readonly keySource: string;
  /** Something was said in it. */
  readonly isBegun: boolean;
  turn(prompt: TurnPrompt, signal: AbortSignal): Promise<TurnEnd>;
  /** Said while a turn runs: told to the model beside the next results, or left for the next turn (E9). */
  queue(content: Content): void;
  /** What was left of it. */
  unqueue(): Content | undefined;
  /** What a model can take and give, in the client's words. */
  limits(model: string): JsonObject;
  /** `reason`: why, for hooks. */
  close(reason?: string): Promise<void>;
}

export async function createAgent(options: AgentOptions): Promise<Agent> {
  const { env, cwd, config, emit } = options;
  let where = () => cwd;
  const session = options.open(() => where());
  const { transcript } = session;
  const queue = createQueue(transcript, () => options.now().getTime());
  const model = createModel({
    env,
    program: `skein/${options.version}`,
    ...(options.fallbackModel !== undefined && { fallbackModel: options.fallbackModel }),
  });
  const { allTools } = await import('./tools/index.ts');
  const { history } = session;
  const say = options.notice;
  const toolSession = createToolSession({ cwd, config, env, folders: options.folders, transcript, history, say });
  where = () => toolSession.session.cwd;
  const told = options.model ?? (env.ANTHROPIC_MODEL || undefined) ?? session.model ?? options.settingsModel;
  let name = modelId(told ?? DEFAULT_MODEL);
  const wrote = (entry: JsonObject) => parts.emit({ kind: 'entry', entry });
  const hooks = createSessionHooks({
    settings: options.hooks ?? [],
    transcript,
    session: toolSession.session,
    mode: () => gate.mode,
    wrote,
    notice: say,
  });
  const { createTalk } = await import('./commands/talk.ts');
  const talk = createTalk({
    cwd,
    home: options.home,
    config,
    session,
    toolSession: toolSession.session,
    gate: () => gate,
    tools: () => tools,
    model: () => name,
    setModel: (to) => {
      name = modelId(to);
      return name;
    },
    window: () => factsOf(name).window,
    wrote,
  });
  const own = talk.skillTool === undefined ? [] : [talk.skillTool];
  const tools = chosenTools([...allTools(model, () => name), ...own], options);
  const gate = createGate({
    mode: options.mode,
    rules: options.rules,
    cwd: where,
    root: cwd,
    home: options.home,
    notice: options.notice,
    // Where results lie that were too long to send.
    readable: () => [transcript.file.replace(/\.jsonl$/, '')],
    folders: [cwd, ...options.folders],
    ...(hooks && { consult: hooks.consult }),
    ...(options.ask && { ask: announced(options.ask, hooks) }),
  });
  const askFor = (model: string) => ({
    model,
    system: systemOf(options, model, tools.has('Skill') ? talk.skillsText : ''),
    maxTokens: maxTokensOf(env, model),
    ...thinkingOf(options, model),
  });
  const parts: LoopParts = {
    model,
    transcript,
    tools,
    gate,
    session: toolSession.session,
    queue,
    ...(hooks && { hooks: hooks.hooks }),
    ask: askFor(name),
    linesAfter: afterCall,
    emit: (event) => {
      if (event.kind === 'entry') {
        toolSession.saw(event.entry);
        talk.saw(event.entry);
      }
      emit(event);
    },
  };
  const source = options.isCleared ? 'clear' : transcript.leaf === undefined ? 'startup' : 'resume';
  /** Lines of the hooks that ran as it began: nothing is written before something is said. */
  const opening = [...((await hooks?.start(source, options.signal)) ?? [])];
  let isBegun = false;
  let spentUSD = 0;
  return {
    get sessionId() {
      return transcript.sessionId;
    },
    get file() {
      return transcript.file;
    },
    get isBegun() {
      return isBegun;
    },
    cwd,
    folders: options.folders,
    get model() {
      return name;
    },
    mode: gate.mode,
    tools: [...tools.keys()],
    commands: talk.names,
    skills: talk.skills,
    version: options.version,
    keySource: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'].find((key) => env[key]) ?? 'none',
    turn: async (prompt, signal) => {
      if (!isBegun && options.name !== undefined) session.rename(options.name);
      isBegun = true;
      for (const entry of opening.splice(0)) wrote(transcript.entry(entry));
      const understood = await talk.understand(prompt, signal);
      if (understood.kind === 'local') return talk.answer(understood);
      const { maxTurns, maxBudgetUSD } = options;
      const limits = {
        ...(maxTurns !== undefined && { maxTurns }),
        ...(maxBudgetUSD !== undefined && { maxBudgetUSD }),
      };
      const asked = modelId(understood.command?.model ?? name);
      const ask = asked === parts.ask.model ? parts.ask : askFor(asked);
      const turn = { ...parts, ask, gate: talk.gate(), limits: { ...limits, spentUSD } };
      const end = await runTurn(turn, understood.prompt, signal);
      spentUSD += end.costUSD;
      return end;
    },
    queue: queue.add,
    unqueue: () => queue.next()?.content,
    limits: (of) => {
      const { window, maxOutput } = factsOf(of);
      return { contextWindow: window, maxOutputTokens: maxOutput };
    },
    close: async (reason = 'other') => {
      await hooks?.end(reason);
      await toolSession.close();
      session.close();
    },
  };
}

/** A tool that is forbidden altogether is not offered. */
function chosenTools(all: readonly LoopTool[], { tools, rules }: AgentOptions): Map<string, LoopTool> {
  const denying = rules.filter(
    ({ behaviour, spec, problem }) => behaviour === 'deny' && (spec === undefined || problem !== undefined),
  );
  const isForbidden = (name: string) => denying.some((rule) => isOfTool(rule, name));
  const isChosen = (name: string) => tools === undefined || tools.includes(name);
  return new Map(all.filter(({ name }) => isChosen(name) && !isForbidden(name)).map((tool) => [tool.name, tool]));
}

type LoopTool = LoopParts['tools'] extends ReadonlyMap<string, infer T> ? T : never;

/** Hooks hear that a person is waited for. */
function announced(ask: NonNullable<AgentOptions['ask']>, hooks: SessionHooks | undefined): typeof ask {
  if (hooks === undefined) return ask;
  return (asked, why) => {
    hooks.notify(`Skein needs your permission to use ${asked.tool.name}`, 'permission_prompt');
    return ask(asked, why);
  };
}

function systemOf(options: AgentOptions, model: string, skills: string): string[] {
  const { cwd, folders, home, config, env } = options;
  const replaced = options.systemPrompt;
  const appended = options.appendSystemPrompt;
  return systemPrompt({
    ...(replaced !== undefined && { replaced }),
    ...(appended !== undefined && { appended }),
    environment: environmentText({ cwd, folders, model, now: options.now(), shell: shellOf(env) }),
    memory: memoryText(readMemory({ cwd, home, config, folders })),
    skills,
  });
}

function maxTokensOf(env: Env, model: string): number {
  const told = Number(env.CLAUDE_CODE_MAX_OUTPUT_TOKENS);
  return Number.isInteger(told) && told > 0 ? told : factsOf(model).maxOutput;
}

function thinkingOf({ thinking }: AgentOptions, model: string): { thinking?: number } {
  const tokens = thinking ?? (factsOf(model).thinking === 'adaptive' ? 1 : 0);
  return tokens > 0 ? { thinking: tokens } : {};
}
