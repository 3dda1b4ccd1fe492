/** Tokens known by their form alone, of services that are seen less often. */
import { type Rule, tokenRule } from './rule.ts';
import { isRandom, isShuffled } from './value.ts';

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

export const OTHER_TOKEN_RULES: readonly Rule[] = [
  // Where it leads is told in its end: secretlint's pattern knows only the part before.
  tokenRule('gitlab-token', ['glpat-'], () => /(?<!\w)glpat-[\w-]{20,300}\.[0-9a-z]{2}\.[0-9a-z]{7,9}(?!\w)/, {
    id: 'gitlab-routable-token',
  }),
  tokenRule('vault-token', ['hvs\\.', 'hvr\\.'], () => /(?<!\w)hv[sr]\.[A-Za-z0-9]{24}(?![\w-]|\.\w)/, {
    id: 'vault-root-token',
    counts: isShuffled,
  }),
  tokenRule(
    'vault-token',
    ['Unseal\\ Key\\ '],
    () => /Unseal Key \d{1,2}:\s{1,4}(?<secret>[A-Za-z0-9+/]{43,88}={0,2})(?![\w+/=])/,
    { id: 'vault-unseal-key' },
  ),
  tokenRule(
    'hubspot-token',
    ['pat-na', 'pat-eu', 'pat-ap'],
    () => new RegExp(`(?<![\\w-])pat-(?:na|eu|ap)\\d-${UUID}(?!\\w)`),
  ),
  tokenRule(
    'plaid-token',
    ['access-sandbox-', 'access-production-', 'access-development-'],
    () => new RegExp(`(?<![\\w-])access-(?:sandbox|production|development)-${UUID}(?!\\w)`),
  ),
  tokenRule('context7-key', ['ctx7sk-'], () => new RegExp(`(?<![\\w-])ctx7sk-${UUID}(?!\\w)`)),
  tokenRule(
    'facebook-token',
    ['EAA[A-Za-z0-9]{90}'],
    () => /(?<!\w|\/|\S[+-]|base64,)EAA[A-Z][A-Za-z0-9]{90,400}(?![\w+/=-])/,
    {
      counts: isShuffled,
    },
  ),
  // As those of Gemini begin.
  tokenRule('google-api-key', ['AQ\\.Ab'], () => /(?<![\w.-])AQ\.Ab[\w-]{40,100}(?![\w.-])/, {
    id: 'google-auth-key',
    counts: isRandom,
  }),
  tokenRule('jina-key', ['jina_'], () => /(?<!\w)jina_[0-9a-f]{32}[\w-]{28}(?![\w-])/),
  tokenRule('fireworks-key', ['fw_[A-Za-z0-9]{22}'], () => /(?<!\w)fw_[A-Za-z0-9]{22,24}(?!\w)/, {
    counts: isShuffled,
  }),
  tokenRule('flutterwave-key', ['FLWSECK'], () => /(?<!\w)FLWSECK(?:_TEST)?-[0-9a-z]{12,40}(?:-X)?(?!\w)/),
  tokenRule('mailersend-token', ['mlsn\\.'], () => /(?<!\w)mlsn\.[0-9a-f]{64}(?!\w)/),
  tokenRule(
    '1password-key',
    ['A3-[A-Z0-9]{6}'],
    () => /(?<![\w-])A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3,4}(?![\w-])/,
    { counts: isRandom },
  ),
  tokenRule('docker-token', ['SWMTKN-1-'], () => /(?<!\w)SWMTKN-1-[0-9a-z]{49,50}-[0-9a-z]{25}(?!\w)/, {
    id: 'docker-swarm-token',
  }),
  tokenRule(
    'kubernetes-key',
    ['K10[0-9a-f]{50}'],
    () => /(?<!\w)K10[0-9a-f]{50,64}::(?:server|node|[0-9a-z]{6}):?[\w.:]{16,64}/,
    { id: 'k3s-token' },
  ),
  tokenRule('wallet-key', ['xprv', 'tprv'], () => /(?<!\w)[xt]prv[1-9A-HJ-NP-Za-km-z]{107}(?!\w)/),
  // Whoever has the address may call it.
  tokenRule(
    'webhook',
    ['hooks\\.zapier\\.com/', 'maker\\.ifttt\\.com/'],
    () =>
      /(?:hooks\.zapier\.com\/hooks\/catch\/\d{1,12}\/(?<zap>[0-9a-z]{6,20})(?![0-9a-z])|maker\.ifttt\.com\/(?:trigger\/[\w-]{1,100}\/(?:json\/)?with\/key|use)\/(?<applet>[\w-]{20,60}))/,
  ),
];
