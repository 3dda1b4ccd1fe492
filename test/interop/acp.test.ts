/** A session begun in an editor, gone on with by the published client, and opened in the editor again. */

import { dirname, join } from 'node:path';
import { methods } from '@agentclientprotocol/sdk';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { pick, startEditor, startScript, textOf } from '../cli/acp-editor.ts';
import { PNG } from '../support/png.ts';
import { PROMPT } from '../support/resume-cases.ts';
import { calls, hold, says } from '../support/scripted-model.ts';
import { wrongIn } from './chat.ts';
import { NEWEST } from './clients.ts';
import { historyOf, ours } from './history.ts';
import { createJudge, type Judge } from './judge.ts';

describe(`R, W: sessions of an editor in ${NEWEST}`, () => {
  let judge: Judge;
  beforeAll(async () => {
    judge = await createJudge(NEWEST, { script: () => says('said by the published client') });
  });
  afterAll(() => judge.close());

  test('with images, files, a rejected call and an interrupt: the same history, both ways', async () => {
    const script = await startScript();
    const { config, workspace: cwd } = judge;
    const editor = await startEditor({ root: '', home: dirname(config), cwd, config }, script.model.env);
    onTestFinished(() => script.model.close());
    onTestFinished(() => void editor.child.kill('SIGKILL'));
    const { session } = methods.agent;
    const { sessionId: id } = await editor.begin(cwd);

    script.on('first of all', calls('Write', { file_path: join(cwd, 'a.txt'), content: 'a\n' }), says('Written'));
    editor.answers(() => pick('once'));
    await editor.agent.request(session.prompt, {
      sessionId: id,
      prompt: [
        { type: 'text', text: 'first of all' },
        { type: 'image', mimeType: 'image/png', data: PNG },
      ],
    });
    script.on('mention it', says('Read'));
    const link = { type: 'resource_link' as const, name: 'a.txt', uri: `file://${cwd}/a.txt` };
    await editor.agent.request(session.prompt, { sessionId: id, prompt: [{ type: 'text', text: 'mention it' }, link] });
    script.on('do not', calls('Bash', { command: 'touch b' }), says('Not done'));
    editor.answers(() => pick('no'));
    await editor.prompt(id, 'do not');
    await editor.agent.request(session.setMode, { sessionId: id, modeId: 'acceptEdits' });
    const held = hold();
    script.on('a story', says('Once upon a time', { holdAt: { at: { inside: 0 }, hold: held } }));
    const story = editor.prompt(id, 'a story');
    await editor.until(() => textOf(editor.updates(id, 'agent_message_chunk')).endsWith('Once u'));
    await editor.agent.notify(session.cancel, { sessionId: id });
    expect(await story).toEqual({ stopReason: 'cancelled' });
    held.release();
    await editor.agent.request(session.close, { sessionId: id });

    expect(await wrongIn(judge, id)).toEqual([]);
    const expected = ours(judge.transcriptOf(id));
    const verdict = await judge.resume(id, PROMPT);
    expect(verdict.requests.map(({ refused }) => refused)).toEqual([undefined]);
    expect(historyOf(verdict)).toEqual(expected);

    editor.heard.length = 0;
    await editor.agent.request(session.load, { sessionId: id, cwd, mcpServers: [] });
    expect(textOf(editor.updates(id, 'agent_message_chunk'))).toContain('said by the published client');
    expect(editor.updates(id, 'user_message_chunk').filter(({ content }) => content.type === 'image')).toHaveLength(1);
    script.on('back again', says('Here'));
    expect(await editor.prompt(id, 'back again')).toEqual({ stopReason: 'end_turn' });
    expect(JSON.stringify(script.model.requests.at(-1)?.messages)).toContain('said by the published client');
    expect(await wrongIn(judge, id)).toEqual([]);
  });
});
