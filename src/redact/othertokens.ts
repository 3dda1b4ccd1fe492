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
  tokenRule(
    'api-key',
    ['infura\\.io/', 'alchemy\\.com/'],
    () => /(?:infura\.io|alchemy\.com)\/(?:ws\/)?v[23]\/(?<secret>[\w-]{30,40})(?![\w-])/,
    { id: 'node-url-key', counts: isRandom },
  ),
  // Secretlint's pattern has no digits.
  tokenRule('huggingface-token', ['hf_[A-Za-z0-9]{34}'], () => /(?<!\w)hf_[A-Za-z0-9]{34}(?!\w)/, {
    id: 'huggingface-mixed-token',
    counts: isShuffled,
  }),
  // Of those whose name few would know: one rule, since each of them is seen hardly ever.
  tokenRule(
    'api-key',
    [
      ...[
        'pcsk_',
        'tfp_',
        'rdme_',
        'CLOJARS_',
        'sdk-[0-9a-f]{8}\\-',
        'p8e-[0-9a-f]{32}',
        'sk\\.eyJ',
        'mfa\\.[\\w-]{84}',
      ],
      ...['sl\\.', 'ATTA[0-9a-f]{72}', 'LTAI[A-Za-z0-9]{12}', 'AKID[A-Za-z0-9]{32}', 'AQVN[\\w-]{35}', 'y0_[\\w-]{50}'],
      ...[
        't1\\.[\\w-]{60}',
        'pa-[\\w-]{43}',
        'duffel_live_',
        'duffel_test_',
        'pdl_live_',
        'pdl_sdbx_',
        'pnu_',
        'NRII-',
      ],
      ...[
        'API-[A-Z0-9]{26}',
        'sha256~',
        'AKCp[A-Za-z0-9]{68}',
        'cmVmd[A-Za-z0-9]{59}',
        'v1\\.0-',
        'signkey-',
        'wandb_v1_',
      ],
      ...[
        'tr_prod_',
        'tr_dev_',
        'bb_live_',
        'rpa_[A-Za-z0-9]{40}',
        'ico-[A-Za-z0-9]{32}',
        'pat\\.[\\w-]{22}\\.',
        'pk_\\d',
      ],
    ],
    () => {
      const forms = [
        // Pinecone, Typeform, ReadMe, Clojars, LaunchDarkly, Adobe, Mapbox, Discord
        'pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{40,80}',
        String.raw`tfp_[\w.=-]{38,79}\w`,
        'rdme_[a-z0-9]{70}',
        'CLOJARS_[a-z0-9]{60}',
        `sdk-${UUID}`,
        'p8e-[0-9a-f]{32}',
        String.raw`sk\.eyJ[\w-]{20,300}\.[\w-]{20,40}`,
        String.raw`mfa\.[\w-]{84}`,
        // Dropbox, Trello, Alibaba, Tencent, Yandex, Voyage
        String.raw`sl\.(?:u\.)?[A-Z][\w-]{100,2000}`,
        'ATTA[0-9a-f]{72}',
        'LTAI[A-Za-z0-9]{12,24}',
        'AKID[A-Za-z0-9]{32}',
        String.raw`AQVN[\w-]{35,38}`,
        String.raw`y0_[\w-]{50,80}`,
        String.raw`t1\.[\w-]{60,400}\.[\w-]{86}`,
        String.raw`pa-(?=[\w-]{0,20}[A-Z])[\w-]{43}`,
        // Duffel, Paddle, Prefect, New Relic, Octopus Deploy, OpenShift, Artifactory, Cloudflare, Inngest, Weights & Biases
        String.raw`duffel_(?:live|test)_[\w=-]{43}`,
        String.raw`pdl_(?:live|sdbx)_apikey_[a-z0-9]{26}_[A-Za-z0-9]{22}_[A-Za-z0-9]{3}`,
        'pnu_[A-Za-z0-9]{36}',
        'NRII-[A-Za-z0-9_-]{32}',
        'API-[A-Z0-9]{26,40}',
        String.raw`sha256~[\w-]{43}`,
        'AKCp[A-Za-z0-9]{68,69}',
        'cmVmd[A-Za-z0-9]{59}',
        'v1\\.0-[0-9a-f]{24}-[0-9a-f]{146}',
        'signkey-[a-z]{4,20}-[0-9a-f]{32,64}',
        String.raw`wandb_v1_[\w-]{24,100}`,
        // Trigger.dev, Browserbase, RunPod, Infracost, Harness, ClickUp
        'tr_(?:prod|dev)_[A-Za-z0-9]{20,30}',
        'bb_live_[A-Za-z0-9_-]{27}',
        'rpa_[A-Za-z0-9]{40,60}',
        'ico-[A-Za-z0-9]{32}',
        String.raw`pat\.[\w-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}`,
        String.raw`pk_\d{5,12}_[A-Z0-9]{32}`,
      ];
      return new RegExp(`(?<![\\w.-])(?:${forms.join('|')})(?![\\w-])`);
    },
    { id: 'rare-api-key', counts: isRandom },
  ),
];
