import { describe, expect, test } from 'vitest';
import { maskPaths } from '../../src/redact/paths.ts';

describe('home folders in paths', () => {
  test.each([
    ['/home/alice/x', '~/x'],
    ['in /home/alice, and "/Users/Bob Smith/y"', 'in ~, and "~ Smith/y"'],
    ['cd /root/work; ls /rootfs', 'cd ~/work; ls /rootfs'],
    ['C:\\Users\\alice\\x', '~\\x'],
    ['"C:\\\\Users\\\\alice\\\\x"', '"~\\\\x"'],
    ['/mnt/c/Users/alice/x', '~/x'],
    ['~/.claude/projects/-home-alice-work/1.jsonl', '~/.claude/projects/-home-user-work/1.jsonl'],
    ['projects\\C--Users-alice-work\\1.jsonl', 'projects\\-home-user-work\\1.jsonl'],
    ['/Users/Shared/x /usr/home/x C:\\Users\\Public', '/Users/Shared/x /usr/home/x C:\\Users\\Public'],
    ['https://a.b/home/alice', 'https://a.b/home/alice'],
  ])('%s', (text, masked) => {
    expect(maskPaths(text)).toBe(masked);
    expect(maskPaths(masked)).toBe(masked);
  });
});
