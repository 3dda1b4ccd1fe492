/** An agent in this process, as `skein chat -p` makes it of the settings in its folders: a tenth of the time of a process. */
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createAgent } from '../../src/agent/agent.ts';
import type { AgentOptions } from '../../src/agent/agenttypes.ts';
import { parseRule } from '../../src/agent/permissions/rules.ts';
import type { Mode } from '../../src/agent/permissions/types.ts';
import type { TurnEnd } from '../../src/agent/ports.ts';
import { newestSession, newSession, resumeSession, type SessionOptions } from '../../src/agent/session.ts';
import { loadSettings } from '../../src/agent/settings/load.ts';
import type { JsonObject } from '../../src/format/json.ts';
import { tempFolder, transcriptsBelow } from '../support/files.ts';
import { type Script, type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts';
import { linesOf } from './world.ts';

export interface SayOptions extends Pick<Partial<AgentOptions>, 'ask' | 'maxTurns' | 'maxBudgetUSD' | 'emit' | 'mcp'> {
  /** Interrupts the turn. */
  readonly stop?: AbortSignal;
  /** Waits for what runs in the background and tells the model of it, as `-p` does; gives how the last turn ended. */
  readonly drain?: boolean;
  /** The write call of transcripts. */
  readonly write?: SessionOptions['write'];
}

export interface TalkWith {
  readonly model: ScriptedModel;
  readonly home: string;
  readonly cwd: string;
  readonly notices: string[];
  /** One prompt, in the newest session if there is one. */
  say(prompt: string, mode?: Mode, more?: SayOptions): Promise<TurnEnd>;
  /** Several, one after the other, by one agent. */
  sayAll(prompts: readonly string[], mode?: Mode, more?: SayOptions): Promise<TurnEnd[]>;
  entries(): JsonObject[];
}

/** `files`: by their path below the folder of the work, or `~/…`. */
export async function talkWith(
  script: Script,
  files: Readonly<Record<string, string | object>> = {},
): Promise<TalkWith> {
  const model = await startScriptedModel(script);
  onTestFinished(() => model.close());
  const root = realpathSync(tempFolder());
  const [home, cwd] = [join(root, 'home'), join(root, 'work')];
  const config = join(home, '.claude');
  for (const folder of [config, cwd]) mkdirSync(folder, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    const file = path.startsWith('~/') ? join(home, path.slice(2)) : join(cwd, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  }
  const notices: string[] = [];
  const place = { cwd, home, config };

  const sayAll: TalkWith['sayAll'] = async (prompts, mode = 'default', more = {}) => {
    const { stop = new AbortController().signal, drain = false, write, ...limits } = more;
    const settings = await loadSettings({ ...place, managed: join(root, 'none'), print: true });
    const newest = newestSession(place);
    const options = { config, cwd, version: '0.0.0-test', ...(write && { write }) };
    const agent = await createAgent({
      ...place,
      open: () => (newest === undefined ? newSession(options) : resumeSession(options, newest)),
      env: { PATH: process.env.PATH, HOME: home, ...model.env, ...settings.env },
      version: '0.0.0-test',
      folders: settings.folders,
      rules: settings.rules.map(({ text, behaviour, source }) => parseRule(text, behaviour, source)),
      hooks: settings.hooks,
      mode,
      emit: () => {},
      notice: (words) => notices.push(words),
      now: () => new Date(),
      ...limits,
    });
    try {
      const ends: TurnEnd[] = [];
      for (const content of prompts) ends.push(await agent.turn({ content, source: 'sdk' }, stop));
      while (drain && agent.hasMore) {
        const next = agent.unqueue();
        if (next === undefined) await agent.background();
        else ends.push(await agent.turn({ content: next.content, source: 'notice' }, stop));
      }
      return ends;
    } finally {
      await agent.close();
    }
  };
  const say: TalkWith['say'] = async (prompt, ...more) => {
    const end = (await sayAll([prompt], ...more)).at(-1);
    if (end === undefined) throw new Error('nothing was said');
    return end;
  };
  const entries = () => transcriptsBelow(join(config, 'projects')).flatMap((file) => linesOf(file));
  return { model, home, cwd, notices, say, sayAll, entries };
}
