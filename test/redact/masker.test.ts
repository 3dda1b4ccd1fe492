import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMasker } from '../../src/redact/masker.ts';
import { NOT_SCANNED } from '../../src/redact/placeholder.ts';
import type { Rule } from '../../src/redact/rule.ts';
import { RULES } from '../../src/redact/rules.ts';
import { HARMLESS } from './harmless.ts';
import { random, SAMPLES } from './samples.ts';
import '../support/properties.ts';

const token = `ghp_${random(36, 'masker')}`;
const mask = (text: string) => createMasker().mask(text);

describe('masking', () => {
  test('the same secret has the same placeholder, whoever masks it', () => {
    const [first, second] = [mask(`a ${token} b ${token}`), mask(`GITHUB_TOKEN=${token}`)];
    expect(first).toMatch(/^a (\[github-token:[0-9a-f]{4}\]) b \1$/);
    expect(second).toBe(`GITHUB_TOKEN=${first.slice(2, first.indexOf(']') + 1)}`);
    expect(mask(`gh\\u0070_${token.slice(4)}`)).toBe(mask(token));
    expect(mask(`ghp_${random(36, 'other')}`)).not.toBe(mask(token));
  });

  test('the end of a sentence is no part of it', () => {
    const made = random(40, 'sentence');
    const tokens = [`pscale_tkn_${made}`, `dp.pt.${made}`, `sntryu_${made}`];
    for (const each of tokens) expect(mask(`it is ${each}. Keep it`)).toBe(`it is ${mask(each)}. Keep it`);
    for (const before of ['API_KEY=', 'Authorization: Bearer ', 'Authorization: ', 'https://x.y/?key=']) {
      expect(mask(`${before}${made}.`)).toBe(`${mask(`${before}${made}`)}.`);
      expect(mask(`${before}${made}. Now ${made} is set`)).not.toContain(made);
    }
  });

  test('what could be guessed carries no hash', () => {
    expect(mask('PASSWORD="Tr0ub4dor&3"')).toBe('PASSWORD="[password]"');
    expect(mask('mysql://me:hunter22@db.internal/x')).toBe('mysql://me:[password]@db.internal/x');
  });

  test('a list of arguments in a text', () => {
    expect(mask("spawn('db', ['--password', 'hunter2xyz'])")).toBe("spawn('db', ['--password', '[password]'])");
    expect(mask('[\n  "--api-key",\n  "0d9f8a7b6c5e4d3f2a1b"\n]')).toMatch(/"--api-key",\n {2}"\[secret:/);
    expect(mask("['--password', 'x'], 'a sentence'")).toBe("['--password', 'x'], 'a sentence'");
  });

  test.each(SAMPLES)('masked once is masked for good: $rule', ({ secret, text }) => {
    const once = mask(text);
    expect(once).not.toContain(secret);
    expect(mask(once)).toBe(once);
  });

  test('a token in the place of a user is masked as one, and its placeholder holds no password', () => {
    const masked = /^git clone https:\/\/\[[\w-]+:[0-9a-f]{4}\]@host\/a\/b$/;
    const tokens = SAMPLES.filter(({ rule }) =>
      ['secretlint/github', 'secretlint/gitlab', 'pypi-token'].includes(rule),
    );
    expect(tokens.length).toBeGreaterThan(3);
    for (const { secret } of tokens) {
      const once = mask(`git clone https://${secret}@host/a/b`);
      expect(once).toMatch(masked);
      expect(mask(once)).toBe(once);
    }
  });

  test('a password right behind or before something like a placeholder is masked', () => {
    for (const text of ['https://[password:12ab]hunter2xyz@host/a', 'https://me:hunter2xyz[token:12ab]@host/a']) {
      const once = mask(text);
      expect(once).not.toContain('hunter2xyz');
      expect(mask(once)).toBe(once);
    }
  });

  test('masking masked text changes nothing, whatever stands around', () => {
    const piece = fc.oneof(
      fc.constantFrom(...SAMPLES.map(({ text }) => text), ...SAMPLES.map(({ secret }) => secret)),
      fc.constantFrom(...HARMLESS),
      fc.constantFrom(
        'password=',
        'token: "',
        '"',
        "'",
        ' ',
        '\n',
        '\\n',
        '://',
        'a:',
        '@b',
        'Cookie: sid=',
        ';',
        '[password]',
        '[',
      ),
      fc.string({ maxLength: 12 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const once = mask(pieces.join(''));
        expect(mask(once)).toBe(once);
      }),
      { numRuns: 600 },
    );
  });

  test('no secret survives among other text', () => {
    const words = fc.array(fc.constantFrom('the', 'x =', '{', '}', '→', '\n', '字', '"quoted"', '🙂'), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(words, fc.constantFrom(...SAMPLES), words, (before, { secret, text }, after) => {
        const whole = `${before.join(' ')}\n${text}\n${after.join(' ')}`;
        expect(mask(whole)).not.toContain(secret);
      }),
      { numRuns: 600 },
    );
  });

  test.each(HARMLESS)('harmless text stays as it is: %s', (text) => {
    expect(mask(text)).toBe(text);
  });

  test('a secret found in one place is masked where it stands bare from then on, and before when it was learnt', () => {
    const masker = createMasker();
    expect(masker.mask('it is Xk29-fjq_7 here')).toBe('it is Xk29-fjq_7 here');
    expect(masker.mask('DB_PASSWORD=Xk29-fjq_7')).toBe('DB_PASSWORD=[password]');
    expect(masker.mask('it is Xk29-fjq_7 here, aXk29-fjq_7b is not it')).toBe(
      'it is [password] here, aXk29-fjq_7b is not it',
    );
    const twice = createMasker();
    twice.learn('DB_PASSWORD=Xk29-fjq_7');
    expect(twice.mask('it is Xk29-fjq_7 here')).toBe('it is [password] here');
    expect([...masker.told.masked]).toEqual([['[password]', 2]]);
  });

  test('a key that goes over the lines of a diff or a numbered listing is masked, and as many lines come back', () => {
    const body = Array.from({ length: 9 }, (_, i) => random(64, `line${i}`));
    const key = ['-----BEGIN PRIVATE KEY-----', ...body, '-----END PRIVATE KEY-----'];
    const diff = createMasker().maskLines([' before', ...key.map((line) => `+${line}`), ' after']);
    expect(diff).toHaveLength(key.length + 2);
    expect(diff.join('\n')).toMatch(/^ before\n\+\[private-key:[0-9a-f]{4}\]\n+ after$/);
    const listing = key.map((line, i) => `${String(i + 1).padStart(6)}→${line}`);
    const cut = ['  9→x', ...listing.slice(0, 6), '... [truncated]'].join('\n');
    for (const line of body) {
      expect(mask(listing.join('\n'))).not.toContain(line);
      expect(mask(cut)).not.toContain(line.slice(0, 20));
    }
    expect(mask(cut)).toContain('[truncated]');
  });
});

describe('failing closed', () => {
  const broken: Rule = {
    id: 'broken',
    kind: 'broken',
    anchors: ['boom'],
    find() {
      throw new Error('boom');
    },
  };

  test('a rule that throws: the text is not shown, and it is told', () => {
    const masker = createMasker({ rules: [...RULES, broken] });
    expect(masker.mask('fine')).toBe('fine');
    expect(masker.mask('boom in here')).toBe(NOT_SCANNED);
    expect(masker.maskLines(['a', 'boom in here'])).toEqual([NOT_SCANNED, '']);
    expect(masker.told.notScanned).toBe(2);
    expect(masker.mask(NOT_SCANNED)).toBe(NOT_SCANNED);
  });

  test('a text too long to scan is not shown', () => {
    const masker = createMasker({ longest: 100 });
    expect(masker.mask('x'.repeat(101))).toBe(NOT_SCANNED);
    expect(masker.told.notScanned).toBe(1);
  });
});

describe('no text takes long', () => {
  /** Every pattern of ours repeats at most so often, so what is done at an anchor has a bound. */
  test('no repetition without an upper bound', async () => {
    const { readFileSync } = await import('node:fs');
    for (const file of [
      'tokens',
      'contexts',
      'commands',
      'typedcommands',
      'operands',
      'kubernetes',
      'wraps',
      'assignment',
      'privatekey',
      'stored',
      'othertokens',
    ]) {
      const source = readFileSync(new URL(`../../src/redact/${file}.ts`, import.meta.url), 'utf8');
      const found = source.match(/\{\d+,\}/g) ?? [];
      // Over a stretch that is bounded already.
      expect([file, found.length]).toEqual([file, file === 'privatekey' ? 1 : 0]);
    }
  });

  test('lines that begin like options or like those of a diff are gone through in one way', () => {
    const text = `curl x${'\n--a'.repeat(60)}| -u me:hunter2-away`;
    expect(mask(text)).toBe(text);
    const diff = `-curl x \\\n-${'--a b \\\n-  '.repeat(8)}-u me:`;
    expect(mask(`${diff}hunter2-diff`)).toBe(`${diff}[password]`);
  });

  const hostile: readonly string[] = [
    ...RULES.flatMap(({ anchors }) => anchors.map((anchor) => anchor.replace(/\\(.)|[[(].*$/g, '$1'))),
    'eyJa.',
    '\\',
    '\\\\',
    '\\x1b[',
    'Secret data: a: bcd ',
    'kind: Secret data: a: bcd ',
    'chpasswd <<a b:',
    'PASS: a1\n',
    '{"kty":"d":"a',
    'kty"d":"',
    'TRUE\t/\tTRUE\t1\tsid\t',
    '"name":"sid","value":"a","domain":',
    'domain"',
    'random_password"result":"',
    'mnemonic: abc abc abc ',
    "AUTH_KEY', '",
    'Private-Lines: 1\nAAAA',
    '$2b$10$',
    'EAAa',
    'password: >- ',
    'kind: Secret\ndata:\n  a: \'b" ',
    'token=1',
    'password="',
    'password:\n',
    'password: |\n12→ ',
    'password:\na1/b.c@d',
    'token "value" ',
    '| token | a',
    '<token>a',
    '**token**: ',
    'api key key ',
    'Cookie: sid=',
    'ghs_1_',
    'SG.a.',
    '://a:',
    '-----BEGIN PRIVATE KEY-----\n',
    'AAAA',
    '\\"',
    '\\u0067',
    'curl -u ',
    'ldapsearch -x -w',
    'zip -P a -',
    'zip a.b ',
    'smbclient -U a%',
    'smbclient -U "a',
    'echo a | sudo -S ',
    "echo 'a",
    'sudo -u ',
    'sudo -S <<<',
    'kinit <<< a',
    '<',
    'htpasswd -b ',
    'htpasswd a -b 1 ',
    'assword send "',
    'assword send "a\\',
    '| docker login --password-stdin ',
    ' \n',
    'a1-',
    ' -p',
    ' -p a',
    ' -u "a:',
    ' --user a:',
    'sqlcmd -P ',
    "sqlcmd -P '",
    'sqlcmd a&b ',
    'sqlcmd\n -',
    'mysql -a b -p',
    'mysql az curl oc gh ',
    'gh secret set -b "',
    'kubectl create secret --from-literal a=',
    'curl -b "a=b; ',
    'curl -b a=b;',
    'echo a |',
    'echo "a\\n',
    'echo "root:a" | sudo ',
    'echo a | chpasswd',
    'chpasswd <<EOF\n',
    'chpasswd <<< "a',
    'config set token ',
    'config set --secret a ',
    'vault kv put a=',
    'vault kv put a="',
    'net use /user:',
    'nmcli password ',
    'auth=("a", "',
    'sqlplus a/',
    ':5432:a:b:',
    ':*:*:*:',
    '&key=a1',
    'kind: Secret\ndata:\n  a: b\n',
    '"kind":"Secret","data":{"a":',
    'data:\n',
    'login a password b',
    'default login ',
    'pass=',
    '\npass: ',
    'rootpw ',
    'PASSWORD("',
    'token: a =',
    'token = a || ',
    'token = a("b", ',
    'token: { value',
    'password {',
    '("password", ',
    "('password').fill(",
    '"password":"a\\"',
    'SECRET=a1/b',
    'eyJhb.\n eyJ',
    'a1b2c3d4e5f6g7h8i9j0a1b2c3d4e5f6\n',
    `ghp_${'a1'.repeat(14)}\n`,
    'ghp_\\\n',
  ];

  /** So that what grows with the square of the length would show in the time that all of these take. */
  const LENGTHS = [100_000, 400_000];

  test.each([...new Set(hostile)])('hundreds of kilobytes of %j', (piece) => {
    for (const length of LENGTHS) {
      const masked = createMasker().mask(piece.repeat(Math.ceil(length / piece.length)));
      expect(masked).not.toBe(NOT_SCANNED);
    }
  });
});

test('a thousand secrets are all masked, and no text is lost over them', () => {
  const masker = createMasker();
  const secrets = Array.from({ length: 1000 }, (_, i) => `ghp_${random(36, `many${i}`)}`);
  for (const secret of secrets) expect(masker.mask(`x ${secret} y`)).toMatch(/^x \[github-token:[0-9a-f]{4}\] y$/);
});

describe('what hides a secret', () => {
  const [head, tail] = [token.slice(0, 12), token.slice(12)];
  test.each([
    ['the colours of grep', `${head}\u001b[01;31m\u001b[K${tail}\u001b[m end`],
    ['colours in JSON', `${head}\\u001b[01;31m${tail} end`],
    ['a line break in JSON', `{"a":"x\\n${token}"}`],
    ['a slash in JSON', `aws_secret_access_key = ${random(20, 'x')}\\/${random(19, 'y')}`],
    ['an invisible character', `${head}\u200b${tail} end`],
    ['letters that turn the direction', `\u202e${head}\u2066${tail}\u2069 end`],
    ['marks no one sees', `${head}\ufe0f\u2063\u{e0041}\u180e\u034f${tail} end`],
    ['a cursor that is hidden before it', `\u001b[?25l${token} end`],
    ['letters that are chosen before it', `\u001b(B${token} end`],
    ['a title of the window before it', `\u001b]133;C\u0007${head}\u001b]8;;x\u001b\\${tail} end`],
    ['an escaped letter', `gh\\u0070_${token.slice(4)} end`],
  ])('%s', (_, text) => {
    const masked = mask(text);
    expect(masked).toMatch(/\[(?:github-token|aws-key):[0-9a-f]{4}\]/);
    for (const part of [head, tail, random(19, 'y')]) expect(masked).not.toContain(part);
  });

  test('a key whose lines were joined and cut, as in a title', () => {
    const lines = Array.from({ length: 6 }, (_, i) => random(64, `joined${i}`));
    const masked = mask(`use this: -----BEGIN PRIVATE KEY----- ${lines.join(' ')}`);
    expect(masked).toMatch(/^use this: \[private-key:[0-9a-f]{4}\]$/);
  });
});
