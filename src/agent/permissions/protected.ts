/** Files that decide what programs run or who may come in. Nothing changes them without a word, in any mode but bypassPermissions. */

/** Anywhere in a path, with all that lies in them. */
const FOLDERS: ReadonlySet<string> = new Set([
  '.git',
  '.claude',
  '.vscode',
  '.idea',
  '.husky',
  '.cargo',
  '.devcontainer',
  '.yarn',
  '.mvn',
  '.ssh',
  '.gnupg',
  '.aws',
  '.kube',
  '.docker',
]);

/** Two names in a row. */
const NESTED: readonly (readonly [string, string])[] = [
  ['.config', 'git'],
  ['.config', 'fish'],
  ['.config', 'systemd'],
  ['.config', 'autostart'],
  ['.github', 'workflows'],
];

const FILES: ReadonlySet<string> = new Set([
  ...['.gitconfig', '.gitmodules', '.gitattributes'],
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_aliases', '.bash_logout', '.profile', '.envrc'],
  ...['.zshrc', '.zprofile', '.zshenv', '.zlogin', '.zlogout', '.inputrc', '.xprofile', '.xinitrc'],
  ...[
    '.npmrc',
    '.yarnrc',
    '.yarnrc.yml',
    '.pnp.cjs',
    '.pnp.loader.mjs',
    '.pnpmfile.cjs',
    'bunfig.toml',
    '.bunfig.toml',
  ],
  ...['.bazelrc', '.bazelversion', '.bazeliskrc', 'gradle-wrapper.properties', 'maven-wrapper.properties'],
  ...['.pre-commit-config.yaml', 'lefthook.yml', 'lefthook.yaml', '.lefthook.yml', '.lefthook.yaml'],
  ...['.devcontainer.json', '.ripgreprc', 'pyrightconfig.json', '.mcp.json', '.claude.json'],
  ...['.netrc', '.pypirc', '.vimrc', '.curlrc', '.wgetrc', '.pythonrc'],
]);

/** Folded, so that it holds on file systems to which .GIT is .git. Names that such a system shortens or ends early are meant, too. */
export function isProtected(path: string): boolean {
  const parts = path.split('/').map(fold);
  return parts.some((part, i) => {
    const next = parts[i + 1] ?? '';
    if (FOLDERS.has(part))
      return !(part === '.claude' && next === 'worktrees' && i + 2 < parts.length && !parts.slice(i + 2).some(isOwn));
    return NESTED.some(([a, b]) => part === a && next === b) || (i === parts.length - 1 && FILES.has(part));
  });
}

function isOwn(part: string): boolean {
  return FOLDERS.has(part) || FILES.has(part);
}

function fold(name: string): string {
  // HFS+ leaves these out when it compares names; Windows the dots and blanks at the end.
  const bare = name
    .normalize('NFKC')
    .replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '')
    .toLowerCase();
  return /[^. ]/.test(bare)
    ? bare
        .replace(/[. ]+$/, '')
        .replace(/^git~\d+$/, '.git')
        .replace(/^claude~\d+$/, '.claude')
    : bare;
}
