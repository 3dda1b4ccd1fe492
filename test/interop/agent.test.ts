/** Sessions written by the loop, gone on with in the published client and back. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runTurn } from '../../src/agent/loop.ts';
import { newSession, resumeSession, type Session } from '../../src/agent/session.ts';
import { asString } from '../../src/format/json.ts';
import type { Answer } from '../agent/model-script.ts';
import { bench, call, says, text, thinking } from '../agent/parts.ts';
import { wrongIn } from '../agent/world.ts';
import { type Message, PROMPT } from '../support/resume-cases.ts';
import { installClient, NEWEST, OLD } from './clients.ts';
import { historyOf, ours } from './history.ts';
import { createJudge, type Judge } from './judge.ts';

/** Without the words that each version puts around what was said. */
function gist(messages: readonly Message[]): string[] {
  const blocks = messages.flatMap(({ role, content }) => content.map((block) => ({ role, block })));
  return blocks.flatMap(({ role, block }) => {
    if (block.type === 'tool_use') return [`call ${String(block.id)}`];
    if (block.type === 'tool_result') return [`result ${String(block.tool_use_id)}`];
    const words = asString(block.text)?.trim() ?? '';
    const own = words === '' || /^(No response requested|The user sent this)/.test(words);
    return own || block.type !== 'text' ? [] : [`${role} ${words}`];
  });
}

const CUT = { type: 'connection_error', message: 'reset' };

interface Scene {
  readonly script: readonly Answer[];
  readonly interruptAfterMs?: number;
  readonly queued?: string;
}

const SCENES: Readonly<Record<string, Scene>> = {
  plain: { script: [says(thinking(), 'Hello.')] },
  parallel: {
    script: [
      says(thinking(), 'I look.', call('Echo', { text: 'a' }), call('Echo', { text: 'b' }), call('Nope')),
      says(call('Write')),
      says('Done.'),
    ],
  },
  'cut and tried again': {
    script: [
      {
        ...says('Kept.', call('Echo', { text: 'a' })),
        attempts: [
          { after: [thinking(), text('Lost.')], failure: CUT },
          { after: [text('Lost too.'), call('Echo')], failure: CUT },
        ],
      },
      says('Done.'),
    ],
  },
  'interrupted in an answer': {
    script: [{ ...says(thinking(), 'One.'), hangs: { partial: text('Half a sen') } }],
    interruptAfterMs: 20,
  },
  'interrupted before an answer': { script: [{ ...says(), hangs: {} }], interruptAfterMs: 20 },
  'interrupted in tools': { script: [says('Go', call('Slow'), call('Slow'), call('Write'))], interruptAfterMs: 50 },
  'failed for good': { script: [{ ...says(), fails: { type: 'invalid_request_error', message: 'bad', status: 400 } }] },
  'longer than allowed': { script: [{ ...says('Half'), stopReason: 'max_tokens' }, says('The rest.')] },
  'typed while busy': { script: [says(call('Echo', { text: 'a' })), says('Done.')], queued: 'Hurry' },
};

describe.each([NEWEST, OLD])('%s', (version) => {
  let judge: Judge;
  beforeAll(async () => {
    installClient(version);
    judge = await createJudge(version);
  });
  afterAll(() => judge?.close());

  function options() {
    return { config: judge.config, cwd: judge.workspace, version: '0.0.0-test' };
  }

  async function turn(session: Session, content: string, scene: Scene): Promise<void> {
    const world = { config: judge.config, cwd: judge.workspace, options: options() };
    const queued =
      scene.queued === undefined ? [] : [{ content: scene.queued, uuid: 'u', typed: new Date().toISOString() }];
    const it = bench(scene.script, { queue: { take: () => queued.splice(0) } }, { world, session });
    const stop = new AbortController();
    if (scene.interruptAfterMs !== undefined) setTimeout(() => stop.abort(), scene.interruptAfterMs);
    await runTurn(it.parts, { content, source: 'typed' }, stop.signal);
    session.close();
    expect(wrongIn(session.transcript.file, ['error'])).toEqual([]);
  }

  test.each(Object.keys(SCENES))('W: %s', async (name) => {
    const scene = SCENES[name] ?? { script: [] };
    const session = newSession(options());
    await turn(session, 'First', { script: [says('Before.')] });
    await turn(resumeSession(options(), session.transcript.file), 'Go', scene);
    const { sessionId } = session.transcript;
    const expected = ours(judge.transcriptOf(sessionId));
    const verdict = await judge.resume(sessionId, PROMPT);
    expect(verdict.requests.map(({ refused }) => refused)).toEqual([undefined]);
    const history = historyOf(verdict) ?? [];
    if (version === NEWEST) expect(history).toEqual(expected);
    else expect(gist(history)).toEqual(gist(expected));
    // And back again.
    const back = resumeSession(options(), session.transcript.file);
    expect(back.forked).toBeUndefined();
    await turn(back, 'Back', { script: [says('Again here.')] });
    const again = await judge.resume(sessionId, 'Once more');
    expect(again.requests.map(({ refused }) => refused)).toEqual([undefined]);
    expect(JSON.stringify(again.requests[0]?.messages)).toContain('Again here.');
    expect(JSON.stringify(again.requests[0]?.messages)).not.toContain('Lost');
  });
});
