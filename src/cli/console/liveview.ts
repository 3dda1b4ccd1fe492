/** The live lines: what is being written and done, what waits, the editor or a question, and where we are. */
import { safeLine, safeText } from '../../views/safe.ts';
import { tokenText } from '../../views/usage/amounts.ts';
import { agentFacts, callTitle } from './callview.ts';
import { apart, duration, fit } from './lines.ts';
import { markdownLines } from './markdown.ts';
import type { Palette } from './palette.ts';
import type { Look } from './pieceview.ts';
import type { RunningCall, ScreenState } from './state.ts';

export interface LiveParts {
  readonly state: ScreenState;
  /** The editor or a question, whole. */
  readonly below: readonly string[];
  readonly status: string;
  readonly now: number;
  /** Somebody is asked: what the model does waits. */
  readonly isAsking: boolean;
  /** The piece before the live lines wants none of its own air. */
  readonly isJoined: boolean;
}

/** No more than `height` lines: what is above gives way first. */
export function liveLines(parts: LiveParts, look: Look, height: number): string[] {
  const { state, below, status } = parts;
  const bottom = [...below, ...(status === '' ? [] : [status])];
  // One row stays the terminal's, so that the first live line is always on the screen.
  const room = Math.max(0, height - 1 - bottom.length);
  const about = parts.isAsking
    ? queueLines(state, look)
    : [...todoLines(state, look, room), ...activityLines(parts, look), ...queueLines(state, look)];
  const kept = about.slice(-room);
  const working = workLines(parts, look, room - kept.length - (kept.length > 0 ? 1 : 0));
  const above = [...working, ...(kept.length > 0 ? [''] : []), ...kept].slice(-Math.max(0, room - 1));
  const air = room > above.length ? [''] : [];
  return [...above, ...air, ...bottom].slice(-Math.max(1, height - 1));
}

function joined(first: readonly string[], second: readonly string[]): string[] {
  return first.length > 0 && second.length > 0 ? [...first, '', ...second] : [...first, ...second];
}

/** The answer as far as it came, its end if it is long; then what is thought and run. */
function workLines({ state, now, isJoined }: LiveParts, look: Look, room: number): string[] {
  if (room <= 0) return [];
  const running = [
    ...thinkingLines(state, look),
    ...[...state.calls, ...state.background].flatMap((call) => runningLines(call, now, look)),
  ];
  const shownRunning = running.slice(0, room);
  const left = room - shownRunning.length;
  const answer = state.answer.trim() === '' || left <= 1 ? [] : answerLines(state.answer, look, left - 1);
  const air = isJoined && answer.length > 0 ? [] : [''];
  const all = joined(answer, shownRunning);
  return all.length === 0 ? [] : [...air, ...all].slice(-room);
}

/** A line without an end is not laid out again and again. */
const MOST_PENDING = 8000;

function answerLines(answer: string, { width, palette }: Look, room: number): string[] {
  const text = answer.length > MOST_PENDING ? answer.slice(-MOST_PENDING) : answer;
  return markdownLines(text, width, palette).slice(-room);
}

function thinkingLines({ thinking }: ScreenState, { width, palette }: Look): string[] {
  if (thinking === undefined) return [];
  const last = safeLine(thinking.text.slice(-400)).trim();
  return [palette.dim(fit(`∴ ${last.slice(-Math.max(10, width - 4))}`, width))];
}

/** Lines of its output that are shown while it runs. */
const TAIL = 4;

function runningLines(call: RunningCall, now: number, { width, palette, cwd }: Look): string[] {
  const took = now - call.began;
  const right = took >= 2000 ? palette.dim(duration(Math.floor(took / 1000) * 1000)) : '';
  const title =
    call.agent !== undefined && call.name === 'Agent' && Object.keys(call.input).length === 0
      ? `Agent ${safeLine(call.agent.type)}`
      : callTitle(call.name, call.input, cwd);
  const line = apart(`${palette.warn('○')} ${fit(title, Math.max(10, width - 14))}`, right, width);
  if (call.agent !== undefined) {
    const { doing } = call.agent;
    const facts = palette.dim(
      fit(`  └ ${agentFacts(call.agent)}${doing === '' ? '' : ` · ${safeLine(doing)}`}`, width),
    );
    return [line, facts];
  }
  const tail = safeText(call.tail).trimEnd();
  if (tail === '') return [line];
  const lines = tail.split('\n').slice(-TAIL);
  const left = call.lines - lines.length;
  const more = left > 0 ? [palette.dim(`  │ … ${left} lines above`)] : [];
  return [line, ...more, ...lines.map((each) => palette.dim(fit(`  │ ${safeLine(each)}`, width)))];
}

const TODO_MARKS: Readonly<Record<string, string>> = { completed: '☑', in_progress: '▸', pending: '☐' };

/** As long as something is open; what is done gives way first. */
function todoLines({ todos, since }: ScreenState, { width, palette }: Look, room: number): string[] {
  const open = todos.filter(({ status }) => status !== 'completed');
  if (open.length === 0 || since === undefined) return [];
  const most = Math.max(2, Math.min(8, Math.floor(room / 3)));
  const done = todos.length - open.length;
  const shown = todos.length <= most ? todos : open.slice(0, most - 1);
  const left = open.length - shown.filter(({ status }) => status !== 'completed').length;
  const lines = shown.map((todo) => todoLine(todo, width, palette));
  if (shown.length === todos.length) return lines;
  return [...lines, palette.dim(`  ${done} done${left > 0 ? `, ${left} more to do` : ''}`)];
}

function todoLine(
  { status, content, activeForm }: ScreenState['todos'][number],
  width: number,
  palette: Palette,
): string {
  const words = safeLine(status === 'in_progress' ? (activeForm ?? content) : content);
  const line = fit(`${TODO_MARKS[status] ?? '☐'} ${words}`, width);
  if (status === 'completed') return palette.dim(line);
  return status === 'in_progress' ? palette.accent(line) : line;
}

/** What it does and for how long; it changes once a second at most. */
function activityLines({ state, now }: LiveParts, { width, palette }: Look): string[] {
  if (state.since === undefined) return [];
  const seconds = Math.floor((now - state.since) / 1000);
  const tokens = Math.round(state.came / 4);
  const facts = [
    ...(seconds >= 1 ? [duration(seconds * 1000)] : []),
    ...(tokens >= 100 ? [`↓ ${tokenText(tokens)} tokens`] : []),
  ];
  const told = facts.length === 0 ? '' : ` ${palette.dim(`(${facts.join(' · ')})`)}`;
  return [fit(`${palette.accent('✻')} ${state.activity}…${told}`, width)];
}

function queueLines({ queue }: ScreenState, { width, palette }: Look): string[] {
  return queue.map((text, i) => {
    const hint = i === queue.length - 1 ? '  (↑ takes it back)' : '';
    return palette.dim(fit(`⧗ ${safeLine(text)}${hint}`, width));
  });
}
