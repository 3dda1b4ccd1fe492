import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { tempFolder } from '../support/files.ts';
import { skein } from '../support/skein.ts';

const OLD = '11111111-1111-4111-8111-111111111111';
const MIDDLE = '11112222-1111-4111-8111-111111111111';
const NEW = '33333333-1111-4111-8111-111111111111';
let root = '';

function prompt(sessionId: string, time: string, cwd: string, text: string): string {
  const entry = {
    type: 'user',
    uuid: `${sessionId}-1`,
    parentUuid: null,
    sessionId,
    timestamp: time,
    cwd,
    message: { role: 'user', content: text },
  };
  return `${JSON.stringify(entry)}\n`;
}

function put(slug: string, id: string, text: string): void {
  mkdirSync(join(root, 'projects', slug), { recursive: true });
  const file = join(root, 'projects', slug, `${id}.jsonl`);
  writeFileSync(file, text);
  // The files' own times must count, not when they were copied here.
  utimesSync(file, 1, 1);
}

beforeEach(() => {
  root = tempFolder();
  put('-work-my-app', OLD, prompt(OLD, '2026-01-01T00:00:00.000Z', '/work/my-app', 'Fix the login page'));
  put('-work-my-app', MIDDLE, prompt(MIDDLE, '2026-02-01T00:00:00.000Z', '/work/my/app', 'Fix the logout page'));
  put('-srv-api', NEW, prompt(NEW, '2026-03-01T00:00:00.000Z', '/srv/api', 'Add caching'));
});

const chosen = (selector: string) => {
  const ran = skein(['cat', selector, '--root', root, '--json']);
  const text = ran.text === '' ? undefined : /"sessionId\\":\\"([0-9-]+)/.exec(ran.text)?.[1];
  return { id: text, code: ran.code, err: ran.err };
};

describe('one selector everywhere', () => {
  test.each([
    ['@last', NEW],
    ['@last~1', MIDDLE],
    ['@last~2', OLD],
    [OLD, OLD],
    ['3333', NEW],
    ['11112', MIDDLE],
    ['project:/srv/api', NEW],
    ['project:api', NEW],
    ['logout', MIDDLE],
    ['FIX login', OLD],
  ])('%s', (selector, id) => expect(chosen(selector).id).toBe(id));

  test('a file path', () => expect(chosen(join(root, 'projects', '-srv-api', `${NEW}.jsonl`)).id).toBe(NEW));

  test('L2: projects whose slugs collide are kept apart by their cwd', () => {
    expect(chosen('project:my-app').id).toBe(OLD);
    expect(chosen('project:my/app').id).toBe(MIDDLE);
  });

  test.each([
    ['1111', 2, /fits 2 sessions/],
    ['fix', 2, /fits 2 sessions/],
    ['nothing like it', 1, /Nothing fits/],
    ['@last~9', 1, /Nothing fits/],
    ['@first', 2, /not a selector/],
    ['missing.jsonl', 1, /There is no file/],
    ['project:nowhere', 1, /Nothing fits/],
    ['333', 1, /Nothing fits[\s\S]*has 4 characters or more/],
  ])('%s says what, where and what next', (selector, code, message) => {
    const ran = chosen(selector);
    expect(ran.code).toBe(code);
    expect(ran.err).toMatch(message);
    expect(ran.err).toMatch(/at: /);
    expect(ran.err).toMatch(/next: /);
  });
});
