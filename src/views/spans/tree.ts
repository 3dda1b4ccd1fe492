/** Spans as an indented tree for people: what `--dry-run` prints. */
import { humanDuration } from '../options.ts';
import { safeLine } from '../safe.ts';
import { firstLine } from '../toolview.ts';
import type { Content, Span } from './types.ts';

const LONGEST = 60;

/** Roots with their traces; children in the order given. */
export function spanTree(spans: readonly Span[]): string {
  const children = Map.groupBy(spans, ({ parentSpanId }) => parentSpanId);
  const lines: string[] = [];
  const add = (span: Span, depth: number, origin: number) => {
    lines.push(`${'  '.repeat(depth)}${spanLine(span, origin)}`);
    for (const child of children.get(span.spanId) ?? []) add(child, depth + 1, origin);
  };
  for (const root of children.get(null) ?? []) add(root, 0, root.startMs);
  return lines.map((line) => `${line}\n`).join('');
}

function spanLine(span: Span, origin: number): string {
  const { facts, parentSpanId, startMs, endMs, kind, name } = span;
  const isEvent = kind === 'event';
  const facing = [
    parentSpanId === null ? new Date(startMs).toISOString() : `at ${seconds(startMs - origin)}`,
    isEvent ? '' : `for ${humanDuration(endMs - startMs)}`,
    ...roleFacts(span),
    span.level === 'default' ? '' : span.level,
    span.statusMessage === null ? '' : quoted(span.statusMessage),
    contentText('in', facts.input),
    contentText('out', facts.output),
    parentSpanId === null ? `trace ${span.traceId}` : '',
    span.spanId,
  ];
  return `${kind} ${safeLine(name)} · ${facing.filter((text) => text !== '').join(' · ')}`;
}

function roleFacts({ facts: { trace, agent, generation, tool, event }, parentSpanId, kind }: Span): string[] {
  if (parentSpanId === null) {
    const { sessionId, kind: prompt, round, state, gitBranch, clientVersion, permissionMode, project } = trace;
    const words = [prompt, round, state, clientVersion, permissionMode, gitBranch, project, `session ${sessionId}`];
    return words.flatMap((word) => (word === null ? [] : safeLine(word)));
  }
  if (kind === 'agent' && agent !== null)
    return [`agent ${safeLine(agent.id)}`, ...(agent.background ? ['background'] : [])];
  if (tool !== null) return tool.status === 'ok' ? [] : [tool.status];
  if (event !== null) return Object.entries(event.details).map(([name, value]) => `${name} ${safeLine(String(value))}`);
  if (generation === null) return [];
  const { usage, cost, stopReason, incomplete } = generation;
  const tokens = usage && {
    input: usage.input,
    output: usage.output,
    'cache read': usage.cacheRead,
    'cache written': usage.cacheCreation,
    'for 1h': usage.cacheCreation1h ?? 0,
  };
  const counts = Object.entries(tokens ?? {}).filter(([, count]) => count > 0);
  return [
    stopReason === null ? '' : safeLine(stopReason),
    counts.map(([what, count]) => `${what} ${count}`).join(' '),
    incomplete ? 'output not recorded' : '',
    cost === null ? '' : `$${cost.totalUSD}`,
  ];
}

function contentText(which: 'in' | 'out', content: Content | null): string {
  if (content === null) return '';
  if (content.type === 'json')
    return `${which} ${quoted(typeof content.value === 'string' ? content.value : JSON.stringify(content.value))}`;
  const thinking = content.parts.some(({ type }) => type === 'thinking') ? ' with thinking' : '';
  return `${which} ${quoted(content.text)}${thinking}`;
}

function quoted(text: string): string {
  const line = safeLine(firstLine(text));
  return `"${line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line}"`;
}

function seconds(millis: number): string {
  return `${(millis / 1000).toFixed(3)} s`;
}
