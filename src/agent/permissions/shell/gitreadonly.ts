/** Forms of git that only look. */
import type { SimpleCommand, Word } from './types.ts';

const SHOWS =
  /^(?:-\d+|-[npsSGiwbuUMCzlLcm]\d*|-n|--(?:oneline|stat|shortstat|numstat|name-only|name-status|graph|decorate|all|branches|tags|remotes|patch|no-patch|cached|staged|reverse|follow|merges|no-merges|first-parent|date-order|topo-order|word-diff|color|no-color|no-renames|abbrev-commit|summary|raw|minimal|patience|histogram|ignore-all-space|ignore-space-change|quiet|exit-code|check|full-index|no-walk|cherry-pick|left-right|show-signature|no-decorate|no-ext-diff|no-textconv|compact-summary|dirstat|source|text|root|relative|merge-base))$|^--(?:format|pretty|since|until|after|before|author|committer|grep|max-count|skip|date|abbrev|diff-filter|stat|color|decorate|unified|find-renames|inter-hunk-context|word-diff|ignore-submodules|relative|diff-algorithm|max-parents|min-parents)=.*$/s;

/** By subcommand: its options; `bare` where words would change something. */
const SUBCOMMANDS: Readonly<Record<string, { readonly options: RegExp; readonly bare?: boolean }>> = {
  status: {
    options:
      /^(?:-[sbuvz]+|-uno|-uall|--(?:short|branch|porcelain(?:=v?[12])?|long|show-stash|ignored|untracked-files(?:=\w+)?|ahead-behind|no-renames))$/,
  },
  log: { options: SHOWS },
  show: { options: SHOWS },
  diff: { options: SHOWS },
  shortlog: { options: /^-[snec]+$|^--(?:summary|numbered|email|all)$/ },
  blame: { options: /^-[lswMCe]+$|^-L.*|^--(?:porcelain|line-porcelain|show-email|date=\w+)$/ },
  'rev-parse': {
    options:
      /^--(?:show-toplevel|abbrev-ref|short(?:=\d+)?|verify|is-inside-work-tree|git-dir|show-prefix|show-cdup|symbolic-full-name|quiet|git-common-dir)$|^-q$/,
  },
  'rev-list': { options: SHOWS },
  'ls-files': {
    options:
      /^-[cdmoistuz]+$|^--(?:cached|deleted|modified|others|ignored|stage|unmerged|exclude-standard|full-name|error-unmatch|eol)$/,
  },
  'ls-tree': { options: /^-[drtlz]+$|^--(?:name-only|name-status|full-name|long|full-tree)$/ },
  'cat-file': { options: /^-[tspe]$/ },
  describe: { options: /^--(?:tags|all|always|dirty|long|abbrev=\d+|exact-match|contains)$/ },
  'merge-base': { options: /^--(?:all|octopus|is-ancestor|fork-point)$/ },
  'name-rev': { options: /^--(?:name-only|tags)$/ },
  'for-each-ref': { options: /^--(?:format|sort|count|merged|no-merged|contains)(?:=.*)?$/s },
  'count-objects': { options: /^-[vH]+$/ },
  'check-ignore': { options: /^-[vqn]+$/ },
  grep: {
    options:
      /^-[niIlLcwvEFPhHpWzqea]+$|^-[ABC]?\d+$|^--(?:line-number|ignore-case|name-only|files-with-matches|count|word-regexp|cached|untracked|heading|break|show-function)$/,
  },
  branch: {
    options:
      /^-(?:a|r|v|vv|l|av|rv|avv)$|^--(?:all|remotes|list|show-current|verbose|merged|no-merged|contains|sort=.*|format=.*|no-color|color)$/s,
    bare: true,
  },
  tag: { options: /^-(?:l|n\d*)$|^--(?:list|sort=.*|contains|merged|points-at)$/s, bare: true },
  remote: { options: /^-v$|^--verbose$/, bare: true },
  reflog: { options: SHOWS, bare: true },
  version: { options: /^--build-options$/, bare: true },
};

const WHOLE: readonly RegExp[] = [
  /^stash list(?: -p| --stat)?$/,
  /^stash show(?: -p| --stat)?(?: stash@\{\d+\})?$/,
  /^worktree list(?: --porcelain)?$/,
  /^config (?:--get(?:-all)? [\w.-]+|--list|-l|--get-regexp [\w.^$-]+)$/,
  /^remote get-url [\w.-]+$/,
  /^submodule status$/,
];

export function gitLooksOnly({ words, assigns }: SimpleCommand): boolean {
  const [program, ...all] = words;
  if (assigns.length > 0 || program?.text !== 'git' || all.some(({ known, glob }) => !known || glob)) return false;
  const args = /^(?:--no-pager|-P|--no-optional-locks)$/.test(all[0]?.text ?? '') ? all.slice(1) : all;
  const line = args.map(({ text }) => text).join(' ');
  if (WHOLE.some((each) => each.test(line))) return true;
  const [name, ...rest] = args;
  const found = name !== undefined && Object.hasOwn(SUBCOMMANDS, name.text) ? SUBCOMMANDS[name.text] : undefined;
  return found !== undefined && rest.every((word, i) => isFine(word, found, rest.slice(0, i)));
}

function isFine(
  { text }: Word,
  { options, bare }: { readonly options: RegExp; readonly bare?: boolean },
  before: readonly Word[],
): boolean {
  const isOption = text.startsWith('-') && text !== '--' && !before.some((each) => each.text === '--');
  if (isOption) return options.test(text);
  if (text === '--') return !bare;
  // Outside a repository `git diff A B` reads any two files.
  return !bare && !/^[/~]|(?:^|\/)\.\.(?:\/|$)|::/.test(text);
}
