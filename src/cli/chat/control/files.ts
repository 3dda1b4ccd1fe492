/** `rewind_files`: files as they were before a prompt, as `skein rewind --files` brings them back. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Agent } from '../../../agent/agenttypes.ts';
import { readEntriesOf } from '../../../disk/read.ts';
import { asString, type JsonObject } from '../../../format/json.ts';
import type { Context } from '../../context.ts';
import { byTime } from '../../rewind/bytime.ts';
import { type FileRewind, fileRewind, rewindFiles } from '../../rewind/files.ts';
import { Refusal } from './refusal.ts';

export async function rewindTo(
  request: JsonObject,
  agent: Agent,
  context: Context,
  config: string,
): Promise<JsonObject> {
  const uuid = asString(request.user_message_id) ?? '';
  const plan = await planOf(uuid, agent, config);
  const changing = plan.steps.filter(({ change }) => change === 'restore' || change === 'remove');
  if (request.dry_run === true) {
    const sizes = changing.map(({ path, copy }) => ({ now: linesOf(path), before: linesOf(copy) }));
    return {
      canRewind: true,
      filesChanged: changing.map(({ path }) => path),
      insertions: sizes.reduce((sum, { now, before }) => sum + Math.max(0, before - now), 0),
      deletions: sizes.reduce((sum, { now, before }) => sum + Math.max(0, now - before), 0),
    };
  }
  const [foreign] = plan.foreign;
  if (foreign !== undefined) throw new Refusal(`Someone else has changed ${foreign} since; nothing was done.`);
  rewindFiles(context, plan);
  return { canRewind: true, skippedLinks: plan.steps.filter(({ change }) => change === 'lost').length };
}

async function planOf(uuid: string, { file, sessionId, cwd }: Agent, config: string): Promise<FileRewind> {
  try {
    const agents = globSync('subagents/*.jsonl', { cwd: file.replace(/\.jsonl$/, '') });
    const files = [file, ...agents.map((name) => join(file.replace(/\.jsonl$/, ''), name))];
    const entries = byTime(files.map((each) => [...readEntriesOf(each)]));
    return await fileRewind(entries, { uuid, turn: 0, prompt: '' }, { config, sessionId, root: cwd }, file);
  } catch {
    throw new Refusal('No file checkpoint found for this message.');
  }
}

/** How many there are in a file; none in one that is not there. */
function linesOf(path: string | undefined): number {
  try {
    const text = path === undefined ? '' : readFileSync(path, 'utf8');
    return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
  } catch {
    return 0;
  }
}
