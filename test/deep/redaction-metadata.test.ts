/** Secrets outside of what was said: in paths, branches and headers, and in the parts of a text that a search shows. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { random } from '../redact/samples.ts';
import { assistant, chain, toJsonl, toolUse, user } from '../support/build.ts';
import { rootWith, skein } from '../support/skein.ts';

const TOKEN = `ghp_${random(36, 'metadata')}`;
const BASIC = Buffer.from(`user:${random(20, 'basic')}`).toString('base64');
const COOKIE = random(24, 'cookie');
const NAMED = random(32, 'named');
const PASSWORD = 'Tr0ub4dor&3xQz!';
const KEY_LINES = Array.from({ length: 140 }, (_, i) => random(64, `line${i}`));
const KEY = ['-----BEGIN RSA PRIVATE KEY-----', ...KEY_LINES, '-----END RSA PRIVATE KEY-----'].join('\n');
const SECRETS = [TOKEN, BASIC, COOKIE, NAMED, PASSWORD, ...KEY_LINES];
const SESSION = '77777777-0000-4000-8000-000000000000';

const input = {
  url: 'http://host/ocelot',
  headers: { Authorization: `Basic ${BASIC}`, Cookie: `sessionid=${COOKIE}; a=b`, 'X-Api-Key': NAMED },
  password: PASSWORD,
};
const lines = chain([user(`hello ocelot ${KEY} tail`), assistant(toolUse('t1', 'Fetch', input), { id: 'm1' })], {
  sessionId: SESSION,
  cwd: `/w/${TOKEN}`,
  gitBranch: TOKEN,
});

const VERBS = [
  ['search', 'ocelot'],
  ['search', 'ocelot', '--json'],
  ['search', '/END RSA/'],
  ['search', '/END RSA/', '--json'],
  ['show', SESSION, '--json'],
  ['show', SESSION, '--tools', 'full'],
  ['show', SESSION, '--format', 'md'],
  ['context', SESSION, '--json'],
  ['list'],
  ['tree'],
  ['usage', '--by', 'project,branch'],
  ['usage', '--by', 'branch', '--json'],
];

describe.each(['files', 'archive'])('with the %s', (engine) => {
  test.each(VERBS.map((argv) => [argv.join(' '), argv] as const))('%s', (_, argv) => {
    const root = rootWith({ [`${SESSION}.jsonl`]: toJsonl(lines) }, writeFileSync);
    const env = { SKEIN_HOME: join(root, 'skein') };
    if (engine === 'archive') skein(['archive', 'sync', '--root', root], { env });
    const { text, err } = skein([...argv, '--root', root], { env });
    expect(text.length).toBeGreaterThan(50);
    expect(SECRETS.filter((secret) => `${text}${err}`.includes(secret))).toEqual([]);
  });
});

test('--reveal shows them', () => {
  const root = rootWith({ [`${SESSION}.jsonl`]: toJsonl(lines) }, writeFileSync);
  expect(skein(['search', 'ocelot', '--json', '--reveal', '--root', root]).text).toContain(TOKEN);
});
