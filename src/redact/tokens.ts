/** Tokens known by their form alone, beyond those secretlint's rules know. */
import { type Rule, tokenRule } from './rule.ts';
import { isRandom, isShuffled, isTokenValue } from './value.ts';

export const TOKEN_RULES: readonly Rule[] = [
  // Models
  tokenRule('anthropic-key', ['sk-ant-'], () => /(?<!\w)sk-ant-[a-z]{2,8}\d\d-[\w-]{20,300}/),
  tokenRule(
    'openai-key',
    ['sk-proj-', 'sk-svcacct-', 'sk-admin-'],
    () => /(?<!\w)sk-(?:proj|svcacct|admin)-[\w-]{20,300}/,
  ),
  tokenRule(
    'openai-key',
    ['sk-[A-Za-z0-9]{32}'],
    () => /(?<![\w-])sk-(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{32,80}(?![\w-])/,
    {
      id: 'openai-key-old',
    },
  ),
  tokenRule('openrouter-key', ['sk-or-'], () => /(?<!\w)sk-or-v\d-[0-9a-f]{32,100}/),
  tokenRule('langfuse-key', ['sk-lf-'], () => /(?<!\w)sk-lf-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/),
  tokenRule('langsmith-key', ['lsv2_'], () => /(?<!\w)lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}/),
  tokenRule('xai-key', ['xai-'], () => /(?<!\w)xai-[A-Za-z0-9]{60,120}/),
  tokenRule('perplexity-key', ['pplx-'], () => /(?<!\w)pplx-[A-Za-z0-9]{40,80}/),
  tokenRule('replicate-token', ['r8_[A-Za-z0-9]{8}'], () => /(?<!\w)r8_[A-Za-z0-9]{37}(?!\w)/),
  tokenRule('nvidia-key', ['nvapi-'], () => /(?<!\w)nvapi-[\w-]{40,100}/),
  tokenRule('cerebras-key', ['csk-[a-z0-9]{48}'], () => /(?<!\w)csk-[a-z0-9]{48}(?!\w)/),
  tokenRule('together-key', ['tgp_v1_'], () => /(?<!\w)tgp_v1_[\w-]{43}(?![\w-])/),
  tokenRule('tavily-key', ['tvly-'], () => /(?<!\w)tvly-(?:dev-|prod-)?[A-Za-z0-9]{20,40}(?![\w-])/),
  tokenRule('firecrawl-key', ['fc-[0-9a-f]{32}'], () => /(?<![\w-])fc-[0-9a-f]{32}(?![\w-])/),
  tokenRule('e2b-key', ['e2b_[0-9a-f]{40}'], () => /(?<!\w)e2b_[0-9a-f]{40}(?!\w)/),
  // Of gateways and of models that speak as others do: `sk-litellm-…`.
  tokenRule(
    'api-key',
    ['sk-[a-z]'],
    () => /(?<![\w-])sk-[a-z]{2,12}-(?=[A-Za-z0-9]{0,60}\d)[A-Za-z0-9]{32,100}(?![\w-])/,
    {
      id: 'other-sk-key',
      counts: (value) => isRandom(value.slice(value.lastIndexOf('-') + 1)),
    },
  ),
  tokenRule('elevenlabs-key', ['sk_[0-9a-f]{8}'], () => /(?<!\w)sk_[0-9a-f]{48}(?!\w)/),
  // Clouds and hosts
  tokenRule(
    'aws-key',
    ['ABSK[A-Za-z0-9+/]{40}', 'bedrock-api-key-'],
    () => /(?<!\w)(?:ABSK[A-Za-z0-9+/]{100,300}={0,2}|bedrock-api-key-[A-Za-z0-9+/]{60,4000}={0,2})/,
    { id: 'aws-bedrock-key' },
  ),
  // Whoever has the address may fetch or put the file until it expires.
  tokenRule(
    'url-signature',
    ['X-Amz-Signature', 'X-Goog-Signature'],
    () => /X-(?:Amz|Goog)-Signature(?:=|%3D)(?<secret>[0-9a-f]{64,1024})/,
  ),
  tokenRule('neon-key', ['napi_[a-z0-9]{40}'], () => /(?<!\w)napi_[a-z0-9]{40,80}(?!\w)/),
  tokenRule('render-key', ['rnd_[A-Za-z0-9]{28}'], () => /(?<!\w)rnd_[A-Za-z0-9]{28,40}(?!\w)/, { counts: isRandom }),
  tokenRule('apify-token', ['apify_api_'], () => /(?<!\w)apify_api_[A-Za-z0-9]{30,50}(?!\w)/),
  tokenRule('google-api-key', ['AIza'], () => /(?<![\w-])AIza[\w-]{35}(?![\w-])/),
  tokenRule('google-oauth-secret', ['GOCSPX-'], () => /(?<!\w)GOCSPX-[\w-]{24,40}/),
  tokenRule('google-oauth-token', ['ya29\\.'], () => /(?<!\w)ya29\.(?:[a-z]\.)?[\w-]{20,2000}/),
  tokenRule('google-oauth-token', ['1//0'], () => /(?<![\w/.-])1\/\/0[\w-]{40,200}(?![\w/-])/, {
    id: 'google-refresh-token',
  }),
  tokenRule('azure-key', ['AccountKey='], /AccountKey=(?<secret>[A-Za-z0-9+/]{40,100}={0,2})/i, {
    id: 'azure-storage-key',
  }),
  tokenRule('azure-signature', ['sig=[\\w%+/-]{40}'], () => /(?<=[?&])sig=(?<secret>[\w%+/-]{40,200}={0,2})/),
  tokenRule('azure-client-secret', ['Q~'], () => /(?<=(?<![\w~.-])(?<head>[\w~.]{3}\d))Q~[\w~.-]{31,34}(?![\w~-])/),
  tokenRule('digitalocean-token', ['doo_v1_', 'dop_v1_', 'dor_v1_'], () => /(?<!\w)do[opr]_v1_[0-9a-f]{64}/),
  tokenRule('heroku-key', ['HRKU-'], () => /(?<!\w)HRKU-[\w-]{36,80}/),
  tokenRule('supabase-key', ['sbp_', 'sb_secret_'], () => /(?<!\w)(?:sbp_[0-9a-f]{40}|sb_secret_[\w-]{20,80})/),
  tokenRule('planetscale-token', ['pscale_'], () => /(?<!\w)pscale_(?:tkn|pw|oauth)_[\w.=-]{31,63}[\w=-]/),
  tokenRule('netlify-token', ['nfp_'], () => /(?<!\w)nfp_[A-Za-z0-9]{36,40}/),
  tokenRule('fly-token', ['fm2_', 'fo1_'], () => /(?<!\w)(?:fm2_[A-Za-z0-9+/=]{60,2000}|fo1_[\w-]{43})/),
  tokenRule('terraform-token', ['atlasv1\\.'], () => /(?<=(?<!\w)(?<head>[A-Za-z0-9]{14}\.))atlasv1\.[\w-]{60,80}/),
  tokenRule('pulumi-token', ['pul-'], () => /(?<!\w)pul-[0-9a-f]{40}(?!\w)/),
  tokenRule('vault-token', ['s\\.[A-Za-z0-9]{24}'], () => /(?<![\w.$-])s\.[A-Za-z0-9]{24}(?![\w(-]|\.\w)/, {
    id: 'vault-old-token',
    counts: isShuffled,
  }),
  tokenRule('doppler-token', ['dp\\.[a-z]'], () => /(?<!\w)dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{29,79}[\w-]/),
  // Packages and code
  tokenRule('pypi-token', ['pypi-'], () => /(?<!\w)pypi-[\w-]{60,400}/),
  tokenRule('rubygems-key', ['rubygems_'], () => /(?<!\w)rubygems_[0-9a-f]{48}/),
  tokenRule('crates-token', ['cio[A-Za-z0-9]{32}'], () => /(?<!\w)cio[A-Za-z0-9]{32}(?!\w)/),
  tokenRule('nuget-key', ['oy2[a-z0-9]{43}'], () => /(?<!\w)oy2[a-z0-9]{43}(?!\w)/),
  tokenRule('docker-token', ['dckr_oat_'], () => /(?<!\w)dckr_oat_[\w-]{27,40}/, { id: 'docker-organisation-token' }),
  tokenRule(
    'gitlab-token',
    ['gldt-', 'glrt-', 'glptt-', 'glcbt-', 'glsoat-', 'glagent-', 'glft-', 'gloas-', 'glimt-', 'glffct-', 'GR1348941'],
    () =>
      /(?<!\w)(?:gl(?:dt|rt|ptt|cbt|soat|agent|ft|oas|imt|ffct)-[\w-]{20,300}(?:\.[0-9a-z]{2}\.[0-9a-z]{7,9}(?!\w))?|GR1348941[\w-]{20}(?![\w-]))/,
    { id: 'gitlab-other-token' },
  ),
  tokenRule(
    'atlassian-token',
    ['ATATT3', 'ATBB', 'ATCTT3'],
    () => /(?<!\w)(?:AT(?:ATT|CTT)3[\w=-]{60,300}|ATBB[A-Za-z0-9]{32})/,
  ),
  tokenRule('github-token', ['ghr_[A-Za-z0-9]{37}'], () => /(?<!\w)ghr_[A-Za-z0-9]{37,255}(?!\w)/, {
    id: 'github-refresh-token',
  }),
  tokenRule('circleci-token', ['CCIPAT_', 'CCIPRJ_'], () => /(?<!\w)CCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[0-9a-f]{40}(?!\w)/),
  tokenRule('buildkite-token', ['bkua_'], () => /(?<!\w)bkua_[0-9a-f]{40}(?!\w)/),
  tokenRule('sonar-token', ['sq[aup]_[0-9a-f]{40}'], () => /(?<!\w)sq[aup]_[0-9a-f]{40}(?!\w)/),
  tokenRule('sourcegraph-token', ['sgp_'], () => /(?<!\w)sgp_(?:(?:[0-9a-f]{16}|local)_)?[0-9a-f]{40}(?!\w)/),
  tokenRule('postman-key', ['PMAK-'], () => /(?<!\w)PMAK-[0-9a-f]{24}-[0-9a-f]{34}/),
  tokenRule('sentry-token', ['sntrys_', 'sntryu_'], () => /(?<!\w)sntry[su]_[\w+/=.-]{39,599}[\w+/=-]/),
  tokenRule('posthog-key', ['phx_'], () => /(?<!\w)phx_[A-Za-z0-9]{40,60}(?!\w)/),
  tokenRule('dynatrace-token', ['dt0[a-z]\\d\\d\\.'], () => /(?<!\w)dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}(?!\w)/),
  tokenRule('newrelic-key', ['NRAK-'], () => /(?<!\w)NRAK-[A-Z0-9]{27}/),
  // Messages, payments, offices
  tokenRule(
    'slack-token',
    ['xoxc-', 'xoxd-', 'xoxe', 'xoxs-'],
    () => /(?<!\w)xox(?:[cds]|e(?:\.xox[bp])?)-[\w%-]{10,400}/,
    {
      id: 'slack-other-token',
    },
  ),
  // Secretlint's pattern ends where the part that is secret begins.
  tokenRule('slack-token', ['xapp-\\d'], () => /(?<!\w)xapp-\d-[A-Z0-9]{8,20}-\d{8,20}-[0-9a-z]{32,100}/, {
    id: 'slack-app-token',
  }),
  tokenRule(
    'slack-token',
    ['hooks\\.slack\\.com/'],
    () =>
      /(?<![\w.])hooks\.slack\.com\/(?:triggers|workflows)\/(?<secret>[A-Z0-9]{6,20}\/[A-Za-z0-9]{6,20}\/[A-Za-z0-9/]{16,80})/,
    { id: 'slack-workflow' },
  ),
  tokenRule(
    'teams-webhook',
    ['IncomingWebhook/'],
    () =>
      /(?<=(?:webhook\.office\.com\/webhookb2|outlook\.office(?:365)?\.com\/webhook)\/[0-9a-f@-]{36,80}\/)IncomingWebhook\/(?<secret>[0-9a-f]{32}\/[\w/-]{36,120})/,
  ),
  // Secretlint's pattern has no dashes.
  tokenRule('sendgrid-key', ['SG\\.[\\w-]{22}\\.'], () => /(?<!\w)SG\.(?=[\w.]{0,66}-)[\w-]{22}\.[\w-]{43}(?![\w-])/, {
    id: 'sendgrid-dashed-key',
  }),
  tokenRule(
    'discord-token',
    ['\\.[\\w-]{6}\\.'],
    () => /(?<=(?<![\w-])(?<head>[MNO][\w-]{22,27}))\.[\w-]{6}\.[\w-]{27,45}(?![\w-])/,
  ),
  tokenRule(
    'discord-webhook',
    ['discord\\.com/', 'discordapp\\.com/'],
    () => /discord(?:app)?\.com\/api(?:\/v\d{1,2})?\/webhooks\/\d{5,25}\/(?<secret>[\w-]{60,80})/,
  ),
  tokenRule('telegram-token', [':AA'], () => /(?<=(?<!\w)(?:bot)?(?<head>\d{8,10})):AA[\w-]{33}(?![\w-])/),
  tokenRule('twilio-key', ['SK[0-9a-f]{32}'], () => /(?<!\w)SK[0-9a-f]{32}(?!\w)/),
  tokenRule('mailgun-key', ['key-[0-9a-f]{8}'], () => /(?<![\w-])key-[0-9a-f]{32}(?!\w)/),
  tokenRule('mailchimp-key', ['-us\\d'], () => /(?<=(?<!\w)(?<head>[0-9a-f]{32}))-us\d{1,2}(?!\w)/),
  tokenRule('resend-key', ['re_[A-Za-z0-9]{8}_'], () => /(?<!\w)re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}(?!\w)/),
  tokenRule('brevo-key', ['xkeysib-'], () => /(?<!\w)xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}(?!\w)/),
  tokenRule('easypost-key', ['EZ[AT]K[A-Za-z0-9]{54}'], () => /(?<!\w)EZ[AT]K[A-Za-z0-9]{54}(?!\w)/),
  tokenRule('shippo-token', ['shippo_'], () => /(?<!\w)shippo_(?:live|test)_[0-9a-f]{40}(?!\w)/),
  tokenRule('stripe-webhook-secret', ['whsec_'], () => /(?<!\w)whsec_[A-Za-z0-9+/=]{24,80}/),
  tokenRule('square-token', ['sq0[a-z]{3}-'], () => /(?<!\w)sq0[a-z]{3}-[\w-]{22,60}/),
  tokenRule('square-token', ['EAAA'], () => /(?<![\w+/-])EAAA[\w-]{60}(?![\w+/=-])/, {
    id: 'square-access-token',
    counts: isRandom,
  }),
  tokenRule('notion-token', ['secret_[A-Za-z0-9]{43}'], () => /(?<!\w)secret_[A-Za-z0-9]{43}(?!\w)/, {
    id: 'notion-old-token',
  }),
  tokenRule('airtable-token', ['pat[A-Za-z0-9]{14}\\.'], () => /(?<!\w)pat[A-Za-z0-9]{14}\.[0-9a-f]{64}/),
  tokenRule('contentful-token', ['CFPAT-'], () => /(?<!\w)CFPAT-[\w-]{43}(?![\w-])/),
  tokenRule(
    'linear-token',
    ['lin_oauth_', 'lin_wh_'],
    () => /(?<!\w)lin_(?:oauth_[0-9a-f]{32,80}|wh_[A-Za-z0-9]{32,80})/,
    { id: 'linear-oauth-token' },
  ),
  // Keys
  tokenRule(
    'jwt',
    ['eyJ'],
    () => /(?<![\w-])eyJ[\w-]{8,4000}\s{0,8}\.\s{0,8}eyJ[\w-]{8,8000}\s{0,8}\.\s{0,8}[\w-]{16,2000}/,
  ),
  // Encrypted, with a key inside or agreed on.
  tokenRule(
    'jwt',
    ['eyJ'],
    () => /(?<![\w-])eyJ[\w-]{8,4000}\.[\w-]{0,1000}\.[\w-]{12,40}\.[\w-]{16,8000}\.[\w-]{16,64}(?![\w-])/,
    {
      id: 'jwe',
    },
  ),
  tokenRule('age-key', ['AGE-SECRET-KEY-'], () => /AGE-SECRET-KEY-1[0-9A-Z]{58}/),
  tokenRule(
    'kubernetes-key',
    ['client-key-data'],
    /client-key-data["']?:\s{0,4}["']?(?<secret>[A-Za-z0-9+/=]{40,8000})/,
  ),
  // `AZURE_DEVOPS_PAT=…`: not among the names of assignments, where it would be looked for in every `file_path`.
  tokenRule(
    'secret',
    ['PAT=', 'PAT:', 'PAT"', "PAT'", 'PAT\\ =', 'pat"'],
    /(?<=_)(?:PAT|pat)["']?\s{0,3}[:=]\s{0,3}["']?(?<secret>[\w-]{12,200})/,
    { id: 'access-token-name', counts: isTokenValue, guessable: (value) => !isRandom(value) },
  ),
  tokenRule(
    'docker-auth',
    ['auth\\\\?":'],
    () => /(?<=")auth\\?":\s{0,4}\\?"(?<secret>[A-Za-z0-9+/]{16,400}={0,2})\\?"/,
  ),
];
