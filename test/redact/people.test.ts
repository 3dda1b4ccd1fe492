import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { homeOf, namesIn, peopleMask } from '../../src/redact/people.ts';

const mask = peopleMask({
  homes: ['/home/alice', '/Users/Bob Smith', '/data/people/zoe.k'],
  names: ['alice', 'zoe.k'],
});

describe('home folders and user names', () => {
  test.each([
    ['/home/alice/x', '~/x'],
    ['"/Users/Bob Smith/y" and /Users/Bob%20Smith/y', '"~/y" and ~/y'],
    ['/data/people/zoe.k/x /data/people/zoe.kim/x', '~/x /data/people/zoe.kim/x'],
    ['/data/people/zoe.kid', '/data/people/zoe.kid'],
    ['-data-people-zoe-k-x -Users-Bob-Smith-work', '-home-user-x -home-user-work'],
    ['%2Fhome%2Falice%2Fx', '~%2Fx'],
    ['/c/Users/alice/x \\\\wsl$\\Ubuntu\\home\\alice\\x', '/c~/x \\\\wsl$\\Ubuntu~\\x'],
    ['~alice/.ssh', '~/.ssh'],
    ['alice@laptop:~/work$ ls', 'user@laptop:~/work$ ls'],
    ['ssh alice@10.0.0.1', 'ssh user@10.0.0.1'],
    ['-rw-r--r-- 1 alice alice 220 Jan 1 .bashrc', '-rw-r--r-- 1 user user 220 Jan 1 .bashrc'],
    ['drwxr-xr-x+  12 alice  staff  384 Jan 1 work', 'drwxr-xr-x+  12 user  staff  384 Jan 1 work'],
    ['-rw-r--r-- 1 root alice 220 Jan 1 x', '-rw-r--r-- 1 root user 220 Jan 1 x'],
    [
      'uid=1000(alice) gid=1000(alice) groups=1000(alice),27(sudo)',
      'uid=1000(user) gid=1000(user) groups=1000(user),27(sudo)',
    ],
    ['alice    4242  0.0  0.1 bash', 'user    4242  0.0  0.1 bash'],
    ['USER=alice LOGNAME=alice', 'USER=user LOGNAME=user'],
    ['{"user": "alice", "owner":"alice"}', '{"user": "user", "owner":"user"}'],
    ['sudo chown -R alice:alice /srv', 'sudo chown -R user:user /srv'],
    ['alice/fix-login', 'user/fix-login'],
    [
      'git@github.com:alice/app.git https://github.com/alice/app',
      'git@github.com:user/app.git https://github.com/user/app',
    ],
    ['/media/alice/disk', '/media/user/disk'],
  ])('%s', (text, masked) => {
    expect(mask(text)).toBe(masked);
    expect(mask(masked)).toBe(masked);
  });

  test.each([
    'alice in wonderland, malice, alice-blue, aliceblue@x',
    'src/alice/index.ts',
    'git@github.com:acme/app.git',
    'root@host:/# ls',
    'class Alice {}',
  ])('stays: %s', (text) => expect(mask(text)).toBe(text));

  test('a name is learnt where a text tells it, accounts of machines are not', () => {
    expect(namesIn('cd /home/carol/x; ls C:\\Users\\dave\\y')).toEqual(['carol', 'dave']);
    expect(namesIn('total 8\n-rw-r--r-- 1 erin frank 2 Jan 1 a\n-rw-r--r-- 1 root wheel 2 Jan 1 b')).toEqual([
      'erin',
      'frank',
    ]);
    expect(namesIn('grace@box:~/x$ make\nUSER=heidi')).toEqual(['grace', 'heidi']);
    expect(namesIn('/home/user/x /home/runner/work /Users/Shared git@github.com:a/b ubuntu@host:~$ ls')).toEqual([]);
  });

  test('a path that stands alone tells a home with spaces', () => {
    expect(homeOf('/Users/Bob Smith/work')).toBe('/Users/Bob Smith');
    expect(homeOf('C:\\Users\\Bob Smith')).toBe('C:\\Users\\Bob Smith');
    expect(homeOf('/work/app')).toBeUndefined();
    expect(homeOf('/Users/Shared/x')).toBeUndefined();
  });

  test('whatever the text, no home folder of a known name is left', () => {
    const piece = fc.constantFrom(
      '/home/',
      'alice',
      '/',
      '\\',
      '@',
      'C:\\Users\\',
      ' ',
      '\n',
      '%2F',
      '-',
      'x',
      '~',
      '-home-',
      ':',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const masked = mask(pieces.join(''));
        expect(masked).not.toMatch(/(?:\/home\/|\\Users\\)alice(?![\w-])/);
      }),
      { numRuns: 2000 },
    );
  });
});
