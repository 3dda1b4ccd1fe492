/** The pull request that a command has just made. */

export interface PrLink {
  readonly prNumber: number;
  readonly prUrl: string;
  readonly prRepository: string;
}

const CREATES = /\b(?:gh\s+pr\s+(?:create|new)|glab\s+mr\s+(?:create|new)|hub\s+pull-request)\b/;
const URLS = /https?:\/\/[^\s/"'<>]+\/([^\s"'<>]+?)\/(?:pull|-\/merge_requests|merge_requests)\/(\d+)(?![\w/-])/g;

/** Only of a command that makes one: others print addresses of pull requests too. The last address is the new one's. */
export function prLinkOf(command: string, output: string): PrLink | undefined {
  if (!CREATES.test(command)) return undefined;
  const [url, repository, number] = [...output.matchAll(URLS)].at(-1) ?? [];
  if (url === undefined || repository === undefined) return undefined;
  return { prNumber: Number(number), prUrl: url, prRepository: repository };
}
