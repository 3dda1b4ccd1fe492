/** `skein hook log`. */
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { archiveFolder } from '../../archive/place.ts';
import { type LogLine, readLog } from '../../client/hook/log.ts';
import { hookPlaces } from '../../client/hook/place.ts';
import { safeLine } from '../../views/safe.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { inertJson } from '../jsontext.ts';
import { refuseOthers } from './options.ts';

const LOOK_MS = 300;

export async function showLog(context: Context, args: Arguments): Promise<number> {
  refuseOthers(args, 'log', ['follow']);
  const places = hookPlaces(resolve(context.cwd, archiveFolder(context)));
  const write = args.flag('json')
    ? (line: LogLine) => context.out.write(`${inertJson(JSON.stringify(line))}\n`)
    : (line: LogLine) => context.out.write(`${lineText(line, context)}\n`);
  let shown = readLog(places);
  for (const line of shown) write(line);
  if (!args.flag('follow')) {
    if (shown.length === 0 && !args.flag('json'))
      context.out.write(`The hook has not run yet. ${context.out.style.dim(places.log)}\n`);
    return 0;
  }
  const { signal } = context;
  while (!signal.aborted) {
    await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
    const now = readLog(places);
    const last = shown.at(-1);
    const from = last === undefined ? 0 : now.findLastIndex((line) => isSame(line, last)) + 1;
    for (const line of now.slice(from)) write(line);
    shown = now;
  }
  return 0;
}

function isSame(a: LogLine, b: LogLine): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

export function lineText({ time, level, event, session, ms, what }: LogLine, { out }: Pick<Context, 'out'>): string {
  const { dim, bad } = out.style;
  const text = safeLine(what);
  const when = safeLine(time)
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z');
  const whose = `${safeLine(event)} ${safeLine(session).slice(0, 8)}`.trim();
  return `${dim(when)} ${whose} ${dim(`${ms} ms`)} ${level === 'error' ? bad(text) : text}`;
}
