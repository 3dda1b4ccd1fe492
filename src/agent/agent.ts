/** The parts put together: one session with its model, tools and gate, to be talked to turn by turn. */
import type { JsonObject } from '../format/json.ts';
import type { Agent, AgentOptions } from './agenttypes.ts';
import { askWith } from './asking.ts';
import { compactLimit } from './compact/limit.ts';
import { createGate, type Mode } from './gate.ts';
import { createSessionHooks, type SessionHooks } from './hooks/session.ts';
import { runTurn } from './loop.ts';
import { createSessionMcp } from './mcp/session.ts';
import { createModel } from './model/anthropic.ts';
import { DEFAULT_MODEL, factsOf, modelId } from './model/models.ts';
import { hidesAnything } from './permissions/hidden.ts';
import { createPlanning } from './plan/planning.ts';
import type { LoopParts } from './ports.ts';
import { createQueue } from './queue.ts';
import { createSteering } from './steering.ts';
import { createBackground } from './subagents/background.ts';
import { findAgents } from './subagents/find.ts';
import { chosenTools, isLeftOut, questions } from './toolchoice.ts';
import { afterCall } from './tools/aftercall.ts';
import { createToolSession } from './toolsession.ts';
import { createTally } from './turn/tally.ts';

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
  const { folders, home, sandbox } = options;
  const sources = options.sources && { sources: options.sources };
  const around = { cwd, home, config, env, folders, sandbox, ...sources };
  const toolSession = createToolSession({ ...around, transcript, history, say });
  where = () => toolSession.session.cwd;
  const told = options.model ?? (env.ANTHROPIC_MODEL || undefined) ?? session.model ?? options.settingsModel;
  let name = modelId(told ?? DEFAULT_MODEL);
  const wrote = (entry: JsonObject) => parts.emit({ kind: 'entry', entry });
  const background = createBackground();
  const hooks = createSessionHooks({
    settings: options.hooks ?? [],
    transcript,
    session: toolSession.session,
    mode: () => gate.mode,
    agents: background.running,
    wrote,
    notice: say,
  });
  const setModel = (to: string) => {
    name = modelId(to);
    return name;
  };
  const setMode = (mode: Mode) => {
    gate.setMode(mode);
    // Nothing is written before something is said.
    if (transcript.leaf !== undefined) transcript.line({ type: 'permission-mode', permissionMode: mode });
  };
  const { createAgentTools } = await import('./subagents/tools.ts');
  const { createTalk } = await import('./commands/talk.ts');
  const talk = createTalk({
    cwd,
    home: options.home,
    config,
    ...sources,
    session,
    toolSession: toolSession.session,
    gate: () => gate,
    tools: () => tools,
    mcp: () => mcp,
    model: () => name,
    setModel,
    window: () => factsOf(name).window,
    wrote,
  });
  const planning = createPlanning({
    config,
    slug: transcript.slug,
    mode: () => gate.mode,
    setMode,
  });
  const own = [...(talk.skillTool === undefined ? [] : [talk.skillTool]), ...(await questions(options, planning))];
  const total = createTally();
  const limits = {
    ...(options.maxTurns !== undefined && { maxTurns: options.maxTurns }),
    ...(options.maxBudgetUSD !== undefined && { maxBudgetUSD: options.maxBudgetUSD }),
  };
  const types = findAgents(options);
  const agentTools = createAgentTools({
    types,
    tools: () => tools,
    background,
    total,
    notify: (words) => queue.add(words, true),
    host: {
      model,
      transcript,
      version: options.version,
      gate: () => talk.gate(),
      hooks: hooks?.hooks,
      limits: () => limits,
      linesAfter: afterCall,
      compactAt: () => compactAt,
      askFor: (asked, prompt, hasSkills) => askFor(asked, prompt, hasSkills),
      emit,
    },
  });
  const structured = options.schema && (await import('./structured.ts')).structuredTool(options.schema, say);
  const tools = chosenTools([...allTools(model, () => name), ...agentTools, ...own], options);
  const byTool = options.mcp?.permissionTool;
  const isOut = isLeftOut(options);
  const mcp = createSessionMcp(options.mcp, {
    cwd,
    env,
    version: options.version,
    folders: () => [cwd, ...folders],
    folder: () => transcript.file.replace(/\.jsonl$/, ''),
    tools,
    // What decides over the model is not for the model to call.
    isLeftOut: (tool) => tool === byTool || isOut(tool),
    ask: options.ask,
    notice: say,
  });
  const gate = createGate({
    mode: options.mode,
    rules: options.rules,
    cwd: where,
    root: cwd,
    home: options.home,
    notice: options.notice,
    // Where results lie that were too long to send.
    readable: () => [transcript.file.replace(/\.jsonl$/, ''), planning.file],
    planFile: () => planning.file,
    folders: [cwd, ...options.folders],
    ...(hooks && { consult: hooks.consult }),
    ...(options.ask && { ask: announced(planning.showing(options.ask), hooks) }),
    ...(byTool !== undefined && { ask: (await import('./mcp/asktool.ts')).askTool(byTool, mcp) }),
  });
  if (structured) tools.set(structured.name, structured);
  const hide = () => {
    toolSession.session.hides = gate.hides;
  };
  if (hidesAnything(options.rules)) hide();
  let thinks: Pick<AgentOptions, 'thinking'> = options;
  const askFor = (model: string, prompt?: string, hasSkills = tools.has('Skill')) =>
    askWith({ ...options, ...thinks }, model, [hasSkills ? talk.skillsText : '', mcp.instructions], prompt);
  const compactAt = compactLimit(env);
  /** What is asked with; after a compaction the instructions in files are read again. */
  let usual = askFor(name);
  let serversSay = mcp.instructions;
  let isCompacted = false;
  const parts: LoopParts = {
    model,
    transcript,
    tools,
    gate,
    session: toolSession.session,
    queue,
    ...(hooks && { hooks: hooks.hooks }),
    ask: usual,
    within: total,
    ...(compactAt && { compactAt }),
    remind: planning.withPrompt,
    linesAfter: afterCall,
    ...(structured && { endsWith: structured.name }),
    emit: (event) => {
      if (event.kind === 'entry') {
        toolSession.saw(event.entry);
        talk.saw(event.entry);
        if (event.entry.subtype === 'compact_boundary') {
          isCompacted = true;
          planning.forgotten();
        }
      }
      emit(event);
    },
  };
  const source = options.isCleared ? 'clear' : transcript.leaf === undefined ? 'startup' : 'resume';
  /** Lines of the hooks that ran as it began: nothing is written before something is said. */
  const opening = [...((await hooks?.start(source, options.signal)) ?? [])];
  if (options.mcp?.waits) await mcp.ready(options.signal);
  let isBegun = false;
  const begin = () => {
    if (!isBegun && options.name !== undefined) session.rename(options.name);
    isBegun = true;
    for (const entry of opening.splice(0)) wrote(transcript.entry(entry));
  };
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
    get mode() {
      return gate.mode;
    },
    mayBypass: options.mayBypass === true,
    get tools() {
      return [...tools.keys()];
    },
    get commands() {
      return talk.names;
    },
    skills: talk.skills,
    agents: tools.has('Agent') ? [...types.keys()] : [],
    mcp,
    version: options.version,
    keySource: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'].find((key) => env[key]) ?? 'none',
    turn: async (prompt, signal) => {
      begin();
      await mcp.ready(signal, prompt.content);
      const understood = await talk.understand(prompt, signal);
      if (understood.kind === 'local') return talk.answer(understood);
      if (isCompacted || serversSay !== mcp.instructions) usual = askFor(usual.model);
      [isCompacted, serversSay] = [false, mcp.instructions];
      if (understood.kind === 'compact') {
        const { compactByHand } = await import('./compact/manual.ts');
        const refuse = (text: string) => void talk.answer({ ...understood, kind: 'local', text, failed: true });
        const ask = name === usual.model ? usual : askFor(name);
        return compactByHand({ ...parts, ask }, { ...understood, asked: transcript.lastPrompt, refuse }, signal);
      }
      const asked = modelId(understood.command?.model ?? name);
      const ask = asked === usual.model ? usual : askFor(asked);
      const turn = { ...parts, ask, gate: talk.gate(), limits, carried: background.takeUsed() };
      const follow = [...(understood.prompt.follow ?? []), ...planning.withPrompt()];
      return runTurn(turn, follow.length === 0 ? understood.prompt : { ...understood.prompt, follow }, signal);
    },
    shell: async (command, signal) => {
      begin();
      session.typed(`!${command}`);
      const { runTyped } = await import('./commands/typed.ts');
      return runTyped({ transcript, session: toolSession.session, wrote }, command, signal);
    },
    setMode: (mode) => {
      planning.turned(mode);
      setMode(mode);
    },
    setModel,
    setThinking: (thinking) => {
      thinks = thinking === undefined ? options : { thinking };
      usual = askFor(usual.model);
    },
    ...createSteering({ session, queue, gate, talk, types, hide, background, shells: toolSession.session.shells }),
    background: background.next,
    get hasMore() {
      return queue.size > 0 || background.next() !== undefined;
    },
    limits: (of) => {
      const { window, maxOutput } = factsOf(of);
      return { contextWindow: window, maxOutputTokens: maxOutput };
    },
    close: async (reason = 'other') => {
      await background.close();
      await mcp.close();
      await hooks?.end(reason);
      await toolSession.close();
      session.close();
    },
  };
}

/** Hooks hear that a person is waited for. */
function announced(ask: NonNullable<AgentOptions['ask']>, hooks: SessionHooks | undefined): typeof ask {
  if (hooks === undefined) return ask;
  return (asked, why) => {
    hooks.notify(`Skein needs your permission to use ${asked.tool.name}`, 'permission_prompt');
    return ask(asked, why);
  };
}
