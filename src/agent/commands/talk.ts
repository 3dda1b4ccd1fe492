/** The commands of a session: what a prompt comes to, the Skill tool, and what is answered without a model. */
import { asObject, type JsonObject } from '../../format/json.ts';
import type { SessionMcp } from '../mcp/session.ts';
import { tokensUsed } from '../model/used.ts';
import { parseRule } from '../permissions/rules.ts';
import type { Rule } from '../permissions/types.ts';
import type { Gate, TurnEnd, TurnPrompt } from '../ports.ts';
import type { Session } from '../session.ts';
import type { Tool, ToolSession } from '../tools/tool.ts';
import { type CommandParts, type Understood, understand } from './commands.ts';
import type { RunShell } from './expand.ts';
import { type Command, type CommandPlace, findCommands } from './find.ts';
import { LOCAL_INFO, LOCAL_NAMES, type LocalHost } from './local.ts';
import { CAVEAT, localText } from './parse.ts';
import { createRunShell } from './shell.ts';
import { callable, createSkillTool, skillsText } from './skill.ts';

export interface TalkOptions extends CommandPlace {
  readonly session: Session;
  readonly toolSession: ToolSession;
  /** Known once it is made: rules need tools. */
  readonly gate: () => Gate;
  readonly tools: () => ReadonlyMap<string, Tool>;
  readonly mcp: () => SessionMcp;
  readonly model: () => string;
  readonly setModel: (name: string) => string;
  readonly window: () => number;
  readonly wrote: (entry: JsonObject) => void;
}

export interface Talk {
  /** Offered when there is something to load. */
  readonly skillTool: Tool | undefined;
  readonly skillsText: string;
  readonly names: readonly string[];
  /** Those of them that a person would look for, with what they are for. */
  readonly list: readonly Pick<Command, 'name' | 'hint' | 'description'>[];
  /** How full the context is. */
  tokens(): LocalHost['tokens'];
  readonly skills: readonly string[];
  /** Tells of what was used. */
  saw(entry: JsonObject): void;
  understand(prompt: TurnPrompt, signal: AbortSignal): Promise<Understood>;
  /** The gate of a turn: what the called command lets run is allowed as by a rule. */
  gate(): Gate;
  /** Writes what was answered without a model. */
  answer(local: Extract<Understood, { kind: 'local' }>): TurnEnd;
}

export function createTalk(options: TalkOptions): Talk {
  const { session, toolSession } = options;
  const { transcript } = session;
  const commands = findCommands(options);
  let granted: readonly Rule[] = [];
  let used = 0;
  const rulesOf = (texts: readonly string[], name: string) =>
    texts.map((text) => parseRule(text, 'allow', { name: 'command', where: name, root: options.cwd }));
  const shell = (allowed: readonly string[], signal: AbortSignal): RunShell =>
    createRunShell(
      { gate: options.gate(), bash: options.tools().get('Bash'), session: toolSession },
      rulesOf(allowed, 'allowed-tools'),
      signal,
    );
  const sessionId = () => transcript.sessionId;
  const tokens = () => {
    return { used: used || roughly(transcript.messages()), isGuess: used === 0, window: options.window() };
  };
  const parts = (): CommandParts => ({
    commands,
    gate: options.gate(),
    read: options.tools().get('Read'),
    session: toolSession,
    sessionId,
    shell,
    mcp: options.mcp(),
    local: {
      model: options.model(),
      setModel: options.setModel,
      rename: (title) => session.rename(title),
      costState: transcript.costState,
      tokens: tokens(),
      commands: [...commands.values()],
    },
  });
  const forPeople = [...commands.values()].filter(({ isForModel }) => !isForModel);
  const grant = (texts: readonly string[]) => {
    granted = [...granted, ...rulesOf(texts, 'allowed-tools')];
  };
  return {
    skillTool: callable(commands).length === 0 ? undefined : createSkillTool({ commands, sessionId, shell, grant }),
    skillsText: skillsText(commands),
    get list() {
      const prompts = options
        .mcp()
        .commands.map(({ argumentHint: hint, ...each }) => ({ ...each, ...(hint && { hint }) }));
      return [...forPeople, ...LOCAL_INFO, ...prompts];
    },
    tokens,
    get names() {
      return [...forPeople.map(({ name }) => name), ...LOCAL_NAMES, ...options.mcp().commands.map(({ name }) => name)];
    },
    skills: [...commands.values()].filter(({ kind }) => kind === 'skill').map(({ name }) => name),
    saw: ({ type, subtype, message }) => {
      if (subtype === 'compact_boundary') used = 0;
      const usage = type === 'assistant' ? asObject(asObject(message)?.usage) : undefined;
      const sum = tokensUsed(usage);
      if (sum > 0) used = sum;
    },
    understand: async (prompt, signal) => {
      granted = [];
      const understood = await understand(prompt, parts(), signal);
      if (understood.kind === 'prompt') grant(understood.command?.allowedTools ?? []);
      return understood;
    },
    gate: () => {
      const gate = options.gate();
      return {
        get mode() {
          return gate.mode;
        },
        decide: (asked) => gate.decide(granted.length === 0 ? asked : { ...asked, granted }),
      };
    },
    answer: ({ called, text, failed }) => {
      const { wrote } = options;
      transcript.nextPrompt();
      wrote(transcript.prompt(CAVEAT, { source: 'sdk', permissionMode: options.gate().mode, isMeta: true }));
      const promptId = transcript.promptId;
      wrote(transcript.entry({ promptId, type: 'user', message: { role: 'user', content: localText(called) } }));
      const tag = failed ? 'local-command-stderr' : 'local-command-stdout';
      const commandRun = { command: called.name, args: called.args };
      const outcome = failed && { commandOutcome: { kind: 'failed' } };
      const content = `<${tag}>${text}</${tag}>`;
      wrote(transcript.system('local_command', { content, level: 'info', commandRun, ...outcome }));
      transcript.endTurn({ durationMs: 0, apiMs: 0, costUSD: 0, usage: {} });
      return { reason: 'end_turn', text, rounds: 0, durationMs: 0, apiMs: 0, costUSD: 0, usage: {}, denials: [] };
    },
  };
}

/** Four characters are about a token. */
function roughly(messages: readonly object[]): number {
  return Math.round(JSON.stringify(messages).length / 4);
}
