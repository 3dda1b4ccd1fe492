/**
 * Secretlint's rules, asked directly: its core is asynchronous and reads whole files, its rules are plain functions
 * over a text. Each is shown only the neighbourhood of its anchors. Not taken over: its rules for URLs and private
 * keys, which mask the whole URL and miss keys that are numbered or cut off; for Google's files, which need a file;
 * for Anthropic and OpenAI, which know fewer forms than ours; and the one that lets a comment in the text turn rules off.
 */
import type { SecretLintRuleContext, SecretLintRuleReportDescriptor, SecretLintSourceCode } from '@secretlint/types';
import { loadPreset } from './preset.cjs';
import { type Found, isForm, type Rule } from './rule.ts';

/** How far from its anchor a match may begin, and end. */
const BEFORE = 300;
const AFTER = 1000;

interface Taken {
  /** Its name, where several of ours are made of one. */
  readonly rule?: string;
  readonly kind: string;
  readonly anchors: readonly string[];
  readonly anyCase?: boolean;
  readonly after?: number;
}

/** Secretlint's rules by name, with our kind and what none of its matches is without. */
const TAKEN: Readonly<Record<string, Taken>> = {
  aws: { kind: 'aws-key', anchors: ['secret_?access'], anyCase: true },
  // Apart from those in any case, which are looked for in every text.
  'aws-id': {
    rule: 'aws',
    kind: 'aws-key',
    anchors: [
      'A3T[A-Z0-9]{17}',
      ...['AKIA', 'AGPA', 'AIDA', 'AROA', 'AIPA', 'ANPA', 'ANVA', 'ASIA'].map((begins) => `${begins}[A-Z0-9]{16}`),
    ],
  },
  npm: { kind: 'npm-token', anchors: ['npm_', 'x-oauth-basic@'] },
  slack: {
    kind: 'slack-token',
    anchors: [
      ...['xoxb-', 'xoxp-', 'xoxa-', 'xoxo-', 'xoxr-'],
      ...['hooks\\.slack\\.com', 'Hooks\\.Slack\\.com', 'HOOKS\\.SLACK\\.COM'],
    ],
  },
  sendgrid: { kind: 'sendgrid-key', anchors: ['SG\\.'] },
  shopify: { kind: 'shopify-token', anchors: ['shp(?:pa|ca|at|ss)_'] },
  stripe: { kind: 'stripe-key', anchors: ['sk_(?:live|test)_', 'rk_(?:live|test)_'] },
  // The token of an app may hold a whole JWT.
  github: { kind: 'github-token', anchors: ['gh[pousr]_', 'github_pat_'], after: 12_100 },
  gitlab: { kind: 'gitlab-token', anchors: ['glpat-'] },
  grafana: { kind: 'grafana-token', anchors: ['glc_', 'glsa_'] },
  groq: { kind: 'groq-key', anchors: ['gsk_'] },
  huggingface: { kind: 'huggingface-token', anchors: ['hf_'] },
  linear: { kind: 'linear-token', anchors: ['lin_api_'] },
  notion: { kind: 'notion-token', anchors: ['ntn_'] },
  '1password': { kind: '1password-token', anchors: ['ops_ey'], after: 1400 },
  'hashicorp-vault': { kind: 'vault-token', anchors: ['hv[sbr]\\.'] },
  vercel: { kind: 'vercel-token', anchors: ['vc[piark]_'] },
  databricks: { kind: 'databricks-token', anchors: ['dapi[A-Fa-f0-9]'] },
  docker: { kind: 'docker-token', anchors: ['dckr_pat_'] },
  figma: { kind: 'figma-token', anchors: ['figd_'] },
  cloudflare: { kind: 'cloudflare-token', anchors: ['cf(?:k|ut|at)_'] },
  tailscale: { kind: 'tailscale-key', anchors: ['tskey-'] },
};

export const SECRETLINT_RULES: readonly Rule[] = Object.entries(TAKEN).map(([name, taken]) => adapt(name, taken));

function adapt(name: string, { rule = name, kind, anchors, anyCase, after = AFTER }: Taken): Rule {
  let scan: Scan | undefined;
  return {
    id: `secretlint/${name}`,
    kind,
    anchors,
    anyCase,
    find(text, places) {
      scan ??= load(rule);
      return windows(text, places, after).flatMap(([from, to]) => {
        // To its rules a letter of any script belongs to the token beside it; none of their tokens has one.
        const content = text.slice(from, to).replace(/[^\u0000-\u007f]/g, ' ');
        return scan?.(content).flatMap((report) => toFound(kind, content, from, report)) ?? [];
      });
    },
  };
}

type Scan = (content: string) => readonly SecretLintRuleReportDescriptor[];

function load(name: string): Scan {
  const creator = loadPreset().rules.find(({ meta }) => meta.id === `@secretlint/secretlint-rule-${name}`);
  if (!creator) throw new Error(`secretlint has no rule ${name}`);
  let reports: SecretLintRuleReportDescriptor[] = [];
  const context: SecretLintRuleContext = {
    sharedOptions: {},
    createTranslator: () => (messageId, data) => ({ message: '', messageId: String(messageId), data }),
    report: (descriptor) => reports.push(descriptor),
    ignore: () => {},
  };
  const { file } = creator.create(context, { enableIDScanRule: true });
  return (content) => {
    reports = [];
    if (file?.(sourceOf(content))) throw new Error(`secretlint's rule ${name} does not answer at once`);
    return reports;
  };
}

/** An account's number is no secret. The range told begins at the name a value is given to: the value itself is in the data. */
function toFound(
  kind: string,
  content: string,
  from: number,
  { message, range }: SecretLintRuleReportDescriptor,
): Found[] {
  if (message.messageId === 'AWSAccountID') return [];
  const [value] = Object.values(message.data ?? {}).filter((each): each is string => typeof each === 'string');
  const at = value === undefined ? -1 : content.indexOf(value, range[0]);
  const [start, end] = value === undefined || at < 0 ? range : [at, at + value.length];
  if (isForm(content.slice(start, end))) return [];
  return [{ kind, start: from + start, end: from + end, guessable: false }];
}

/** The neighbourhoods of the anchors; those that touch are one, so that no text is read twice. */
function windows(text: string, places: readonly number[], after: number): (readonly [from: number, to: number])[] {
  const joined: [number, number][] = [];
  for (const at of places) {
    const last = joined.at(-1);
    const from = Math.max(0, at - BEFORE);
    const to = Math.min(text.length, at + after);
    if (last && from <= last[1]) last[1] = to;
    else joined.push([from, to]);
  }
  return joined;
}

/** A text as the rules expect it. */
export function sourceOf(content: string): SecretLintSourceCode {
  const noPlaces = () => {
    throw new Error('a rule asked for lines and columns');
  };
  return {
    content,
    hasBOM: false,
    filePath: undefined,
    physicalFilePath: undefined,
    contentType: 'text',
    ext: '',
    getFilePath: () => undefined,
    getPhysicalFilePath: () => undefined,
    locationToRange: noPlaces,
    rangeToLocation: noPlaces,
    positionToIndex: noPlaces,
    indexToPosition: noPlaces,
  };
}
