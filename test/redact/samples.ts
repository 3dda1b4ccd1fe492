/**
 * One made-up secret per rule, put together from parts so that no scanner takes this file for a leak, and texts that look
 * alike but must stay readable.
 */

const ALNUM = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const LOWER = 'abcdefghijklmnopqrstuvwxyz0123456789';
export const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
export const HEX = '0123456789abcdef';

/** The same characters on every run, different ones for every seed. */
export function random(length: number, seed: string, characters = ALNUM): string {
  let state = [...seed].reduce((sum, each) => (sum * 31 + each.charCodeAt(0)) >>> 0, 7);
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return characters[(state >>> 8) % characters.length];
  }).join('');
}

const base64 = (text: string) => Buffer.from(text).toString('base64url');

export interface Sample {
  /** The rule that finds it, and only it. */
  readonly rule: string;
  readonly secret: string;
  /** As it may stand in a text. */
  readonly text: string;
  /** What gives access: to mask the rest of it alone would be in vain. */
  readonly heart?: string;
}

function bare(rule: string, secret: string): Sample {
  return { rule, secret, text: `it said ${secret} and went on` };
}

function inside(rule: string, secret: string, before: string, after = ''): Sample {
  return { rule, secret, text: `first\n${before}${secret}${after}\nlast` };
}

const keyBody = Array.from({ length: 12 }, (_, i) => random(64, `pem${i}`)).join('\n');
/** Its token is JSON in base64 that ends with the closing brace. */
const onePassword = Buffer.from(
  `{"signInAddress":"my.1password.com","userAuth":{"method":"SRPg-4096"},"secretKey":"${random(99, 'op')}"}`,
).toString('base64');
export const uuid = '3f2b8c1e-9d4a-4b7e-8f10-2a6c5d9e7b31';

export const SAMPLES: readonly Sample[] = [
  bare('secretlint/aws', `AKIA${random(16, 'aws', UPPER)}`),
  inside('secretlint/aws', random(40, 'awss'), 'aws_secret_access_key = '),
  bare('secretlint/npm', `npm_${random(36, 'npm')}`),
  bare('secretlint/slack', `xoxb-${random(12, 's1', '123456789')}-${random(24, 's2')}`),
  bare('secretlint/slack', `https://hooks.slack.com/services/T${random(8, 'h')}/B${random(8, 'i')}/${random(24, 'j')}`),
  bare('secretlint/sendgrid', `SG.${random(22, 'sg')}.${random(43, 'sg2')}`),
  bare('secretlint/shopify', `shpat_${random(32, 'shp', HEX)}`),
  bare('secretlint/stripe', `sk_live_${random(24, 'st')}`),
  bare('secretlint/github', `ghp_${random(36, 'gh')}`),
  bare('secretlint/github', `gho_${random(36, 'gho')}`),
  bare('secretlint/github', `ghs_${random(36, 'ghs')}`),
  bare('secretlint/github', `github_pat_${random(82, 'ghf')}`),
  bare('secretlint/gitlab', `glpat-${random(20, 'gl')}`),
  bare('secretlint/grafana', `glsa_${random(32, 'gr')}_${random(8, 'gr2', HEX)}`),
  bare('secretlint/groq', `gsk_${random(52, 'gq')}`),
  bare('secretlint/huggingface', `hf_${random(34, 'hf', LETTERS)}`),
  bare('secretlint/linear', `lin_api_${random(40, 'li')}`),
  bare('secretlint/notion', `ntn_${random(11, 'nt', '0123456789')}${random(35, 'nt2')}`),
  bare('secretlint/1password', `ops_${onePassword}`),
  bare('secretlint/hashicorp-vault', `hvs.${random(95, 'hv')}`),
  bare('vault-old-token', `s.${random(24, 'hv2')}`),
  bare('secretlint/vercel', `vcp_${random(40, 'vc')}`),
  bare('secretlint/databricks', `dapi${random(32, 'db', HEX)}`),
  bare('secretlint/docker', `dckr_pat_${random(27, 'dk')}`),
  bare('secretlint/figma', `figd_${random(43, 'fg')}`),
  bare('secretlint/cloudflare', `cfut_${random(40, 'cf')}${random(8, 'cf2', HEX)}`),
  bare('secretlint/tailscale', `tskey-auth-${random(16, 'ts')}-${random(32, 'ts2')}`),
  bare('anthropic-key', `sk-ant-api03-${random(93, 'an')}AA`),
  bare('anthropic-key', `sk-ant-oat01-${random(86, 'ao')}AA`),
  bare('openai-key', `sk-proj-${random(120, 'oa')}`),
  bare('openai-key-old', `sk-${random(48, 'oo')}`),
  bare('openrouter-key', `sk-or-v1-${random(64, 'or', HEX)}`),
  bare('langfuse-key', `sk-lf-${uuid}`),
  bare('langsmith-key', `lsv2_pt_${random(32, 'ls', HEX)}_${random(10, 'ls2', HEX)}`),
  bare('xai-key', `xai-${random(80, 'xa')}`),
  bare('perplexity-key', `pplx-${random(48, 'pp')}`),
  bare('replicate-token', `r8_${random(37, 'r8')}`),
  bare('nvidia-key', `nvapi-${random(64, 'nv')}`),
  bare('cerebras-key', `csk-${random(48, 'ce', LOWER)}`),
  bare('together-key', `tgp_v1_${random(43, 'tg')}`),
  bare('tavily-key', `tvly-dev-${random(32, 'tv')}`),
  bare('firecrawl-key', `fc-${random(32, 'fc', HEX)}`),
  bare('e2b-key', `e2b_${random(40, 'e2', HEX)}`),
  bare('other-sk-key', `sk-litellm-${random(40, 'll')}`),
  bare('aws-bedrock-key', `ABSK${random(128, 'ab1')}=`),
  bare('aws-bedrock-key', `bedrock-api-key-${random(400, 'ab2')}`),
  inside('url-signature', random(64, 'us', HEX), 'https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature='),
  bare('neon-key', `napi_${random(64, 'ne', LOWER)}`),
  bare('render-key', `rnd_${random(28, 're1')}`),
  bare('apify-token', `apify_api_${random(36, 'ap')}`),
  bare('github-refresh-token', `ghr_${random(76, 'ghr')}`),
  bare('circleci-token', `CCIPAT_${random(22, 'cc')}_${random(40, 'cc2', HEX)}`),
  bare('buildkite-token', `bkua_${random(40, 'bk', HEX)}`),
  bare('sonar-token', `squ_${random(40, 'so', HEX)}`),
  bare('sourcegraph-token', `sgp_${random(16, 'sr', HEX)}_${random(40, 'sr2', HEX)}`),
  bare('posthog-key', `phx_${random(43, 'ph')}`),
  bare('dynatrace-token', `dt0c01.${random(24, 'dt', UPPER)}.${random(64, 'dt2', UPPER)}`),
  inside(
    'slack-workflow',
    `T${random(10, 'sw', UPPER)}/${random(13, 'sw2', '123456789')}/${random(32, 'sw3', HEX)}`,
    'https://hooks.slack.com/triggers/',
  ),
  inside(
    'teams-webhook',
    `${random(32, 'tm', HEX)}/${uuid}`,
    `https://a.webhook.office.com/webhookb2/${uuid}@${uuid}/IncomingWebhook/`,
  ),
  bare('brevo-key', `xkeysib-${random(64, 'br', HEX)}-${random(16, 'br2')}`),
  bare('easypost-key', `EZAK${random(54, 'ez')}`),
  bare('shippo-token', `shippo_live_${random(40, 'sh', HEX)}`),
  bare('contentful-token', `CFPAT-${random(43, 'cp')}`),
  bare(
    'jwe',
    `${base64('{"alg":"dir","enc":"A256GCM"}')}..${random(16, 'jw1')}.${random(80, 'jw2')}.${random(22, 'jw3')}`,
  ),
  bare('elevenlabs-key', `sk_${random(48, 'el', HEX)}`),
  bare('google-api-key', `AIza${random(35, 'ga')}`),
  bare('google-oauth-secret', `GOCSPX-${random(28, 'go')}`),
  bare('google-oauth-token', `ya29.${random(120, 'gt')}`),
  bare('google-refresh-token', `1//0${random(60, 'gr4')}`),
  inside(
    'azure-storage-key',
    `${random(86, 'az')}==`,
    'DefaultEndpointsProtocol=https;AccountName=a;AccountKey=',
    ';EndpointSuffix=x',
  ),
  // As Django makes them.
  inside('assignment', 'w7k(2#z&x9$q1-v@r4m+3h%t8)b5n*j6c!0f^g2d_y=ep', "SECRET_KEY = '", "'"),
  inside('assignment', 'django-insecure-x7k(z8)q#2m^v&w1!r9t$3p5y@b6n*c4', "SECRET_KEY = '", "'"),
  inside('assignment', '(k3%x9#2m^q8&w1z!7v', 'SECRET_KEY: "', '"'),
  inside('assignment', `${random(43, 'ab')}=`, 'Endpoint=sb://a.net/;SharedAccessKeyName=Root;SharedAccessKey='),
  inside('azure-signature', `${random(43, 'as')}%3D`, 'https://a.blob.core.windows.net/c/f?sv=2024-01-01&sr=b&sig='),
  bare('azure-client-secret', `${random(3, 'ac')}8Q~${random(34, 'ac2')}`),
  bare('digitalocean-token', `dop_v1_${random(64, 'do', HEX)}`),
  bare('heroku-key', `HRKU-AA${random(58, 'he')}`),
  bare('supabase-key', `sbp_${random(40, 'sb', HEX)}`),
  bare('planetscale-token', `pscale_tkn_${random(43, 'ps')}`),
  bare('netlify-token', `nfp_${random(36, 'nf')}`),
  bare('fly-token', `fm2_${random(120, 'fl')}`),
  bare('terraform-token', `${random(14, 'tf')}.atlasv1.${random(67, 'tf2')}`),
  bare('pulumi-token', `pul-${random(40, 'pu', HEX)}`),
  bare('doppler-token', `dp.pt.${random(43, 'dp')}`),
  bare('pypi-token', `pypi-AgEIcHlwaS5vcmc${random(150, 'py')}`),
  bare('rubygems-key', `rubygems_${random(48, 'rg', HEX)}`),
  bare('crates-token', `cio${random(32, 'ci')}`),
  bare('nuget-key', `oy2${random(43, 'nu', LOWER)}`),
  bare('docker-organisation-token', `dckr_oat_${random(32, 'do2')}`),
  bare('gitlab-other-token', `glrt-${random(20, 'gr3')}`),
  bare('atlassian-token', `ATATT3xFfGF0${random(180, 'at')}`),
  bare('postman-key', `PMAK-${random(24, 'pm', HEX)}-${random(34, 'pm2', HEX)}`),
  bare('sentry-token', `sntryu_${random(64, 'se', HEX)}`),
  bare('newrelic-key', `NRAK-${random(27, 'nr', UPPER)}`),
  {
    ...bare(
      'slack-app-token',
      `xapp-1-A${random(10, 'xa', UPPER)}-${random(13, 'xb', '123456789')}-${random(64, 'xc', HEX)}`,
    ),
    heart: random(64, 'xc', HEX),
  },
  bare('sendgrid-dashed-key', `SG.${random(10, 'sd')}-${random(11, 'se')}.${random(30, 'sf')}-${random(12, 'sh')}`),
  bare('slack-other-token', `xoxe.xoxp-1-${random(160, 'xo')}`),
  bare('discord-token', `M${random(23, 'di')}.${random(6, 'di2')}.${random(38, 'di3')}`),
  inside('discord-webhook', random(68, 'dw'), 'https://discord.com/api/webhooks/1090000000000000000/'),
  bare('telegram-token', `${random(9, 'te', '123456789')}:AA${random(33, 'te2')}`),
  bare('twilio-key', `SK${random(32, 'tw', HEX)}`),
  bare('mailgun-key', `key-${random(32, 'mg', HEX)}`),
  bare('mailchimp-key', `${random(32, 'mc', HEX)}-us14`),
  bare('resend-key', `re_${random(8, 're')}_${random(24, 're2')}`),
  bare('stripe-webhook-secret', `whsec_${random(32, 'wh')}`),
  bare('square-token', `sq0atp-${random(22, 'sq')}`),
  bare('square-access-token', `EAAA${random(60, 'sq2')}`),
  bare('notion-old-token', `secret_${random(43, 'no')}`),
  bare('airtable-token', `pat${random(14, 'ai')}.${random(64, 'ai2', HEX)}`),
  bare('linear-oauth-token', `lin_oauth_${random(64, 'lo', HEX)}`),
  bare(
    'jwt',
    `${base64('{"alg":"HS256","typ":"JWT"}')}.${base64('{"sub":"1234567890","name":"A"}')}.${random(43, 'jw')}`,
  ),
  bare('age-key', `AGE-SECRET-KEY-1${random(58, 'ag', 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L')}`),
  inside('kubernetes-key', random(120, 'ku'), '    client-key-data: '),
  inside(
    'docker-auth',
    Buffer.from(`someone:${random(20, 'da')}`).toString('base64'),
    '{"auths":{"r.io":{"auth": "',
    '"}}}',
  ),
  bare('private-key', `-----BEGIN RSA PRIVATE KEY-----\n${keyBody}\n-----END RSA PRIVATE KEY-----`),
  bare(
    'private-key',
    `-----BEGIN OPENSSH PRIVATE KEY-----\\n${keyBody.replaceAll('\n', '\\n')}\\n-----END OPENSSH PRIVATE KEY-----`,
  ),
  bare(
    'private-key',
    `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${keyBody}\n=a1B2\n-----END PGP PRIVATE KEY BLOCK-----`,
  ),
  inside('url-password', 'S3cr-et!pw', 'postgres://app:', '@db.internal:5432/main'),
  inside('url-password', 'tr0ub4dor', 'git clone https://me:', '@git.internal/x.git'),
  inside('bearer-token', random(40, 'be'), 'curl -H "Authorization: Bearer ', '" https://api'),
  inside('authorization', Buffer.from('someone:somepassw0rd').toString('base64'), 'Authorization: Basic '),
  inside('netrc', 'pl3ase-no', 'machine api.internal\n  login me\n  password '),
  inside('option-password', 'n0t-telling', 'curl -s -u me:', ' https://api.internal'),
  inside('option-password', 'w0rdpass', "sshpass -p '", "' ssh host"),
  inside('option-password', 'w0rd&pass', 'openssl pkcs12 -in a.p12 -nodes -passin pass:', ' -out a.pem'),
  inside('npm-auth', btoa('me:s3cret!word'), '//registry.internal/:_auth=', '\nalways-auth=true'),
  inside('npm-auth', btoa('ci:an0ther-word'), '_auth = "', '"'),
  inside('option-password', 'm0nkeyIsland', 'mysql -uroot -p', ' shop'),
  inside(
    'option-password',
    'sh0p&pw',
    'mysqldump --single-transaction -h db.internal -u shop -p"',
    '" shop > dump.sql',
  ),
  inside('option-password', 'c0rrect!horse', "docker exec db mariadb-admin -u root -p'", "' status"),
  inside('option-password', random(20, 'dl', LETTERS), 'docker login -u me -p ', ' registry.internal'),
  inside('option-password', 'l3t-me-in', 'podman login registry.internal --username me -p="', '"'),
  inside('option-password', random(34, 'al'), 'az login --service-principal -u 0f8f -p ', ' --tenant y'),
  inside('option-password', 'm0ngoose!', 'mongosh mongodb://db.internal/shop -u me -p ', ' --quiet'),
  inside('option-password', 'd0g&bone', "mongodump -h db -u me -p '", "' -o out"),
  inside('option-password', 'n0t-for-you', 'curl -sSu me:', ' https://api.internal'),
  inside(
    'telegram-token',
    `${random(9, 'tg', '123456789')}:AA${random(33, 'tg2')}`,
    'https://api.telegram.org/bot',
    '/getMe',
  ),
  inside('option-password', random(24, 'rc'), 'redis-cli -h cache.internal -a ', ' ping'),
  inside('option-password', 'c4che-it', 'redis-cli --no-auth-warning --pass ', ' info'),
  inside('option-password', 'gl4ss-bead', 'sshpass -p', ' scp a host:'),
  inside(
    'option-password',
    'd1rectory!',
    'ldapsearch -x -H ldap://dc.internal -D "cn=Directory Manager,dc=x" -w ',
    ' -b dc=x uid=me',
  ),
  inside('option-password', 'b1nd;me', "ldapmodify -x -D cn=admin,dc=x \\\n  -w '", "' -f a.ldif"),
  inside('option-password', 'gl0ry-box', 'ldapwhoami -x -D uid=me -w', ''),
  inside('option-password', 'p4cked!', 'zip -r -P ', ' out.zip dir'),
  inside('option-password', 'r0lled-up', "zip -rP '", "' out.zip dir"),
  inside('option-password', 'unp4cked', 'unzip -o a.zip -P "', '" -d out'),
  inside('option-password', 'sh4red!', 'smbclient //files/team -U me%', ' -c ls'),
  inside('option-password', 'sh4re & more', "smbclient -L files -U 'OFFICE\\me%", "'"),
  inside('option-password', 'rp0-call', 'rpcclient --user=me%', ' dc.internal'),
  inside('piped-password', 'r00ted-in', 'echo ', ' | sudo -S apt-get update'),
  inside('piped-password', 'two w0rds', "echo -n '", "' | sudo -k -S -p '' id"),
  inside('piped-password', 'pr1nted', "printf '%s\\n' \"", '" |sudo -u root -kS id'),
  inside('piped-password', 'pr1nted-too', "printf '", "\\n' | sudo -S id"),
  inside('piped-password', 'three-h3ads', 'echo "', '" | kinit me@OFFICE.INTERNAL'),
  inside('piped-password', 'c0ntained', 'echo "', '" | docker login -u me --password-stdin registry.internal'),
  inside('handed-password', 'r00ted-out', "sudo -S id <<< '", "'"),
  inside('handed-password', 'hydra-he4d', 'kinit me@OFFICE.INTERNAL <<<', ' && klist'),
  inside('htpasswd-password', 'w3bbed', 'htpasswd -b .htpasswd me ', ''),
  inside('htpasswd-password', 'w3bbed-in', 'htpasswd -c -B -C 10 -b /etc/nginx/.htpasswd me "', '"'),
  inside('htpasswd-password', 'w3bbed-out', 'docker run --rm --entrypoint htpasswd httpd:2 -Bbn me ', ' > .htpasswd'),
  inside('expect-password', 'sp0ken', 'expect "assword:"\nsend "', '\\r"\nexpect "$ "\nsend "exit now\\r"'),
  inside('expect-password', 'sp0ken-to', "expect -c 'spawn su; expect {*assword*} { send -- {", "\\r} }'"),
  inside('expect-password', 'sp0ken-of', "child.expect('Password:')\nchild.sendline('", "')"),
  inside('access-token-name', random(52, 'ado', 'abcdefghijklmnopqrstuvwxyz234567'), 'export AZURE_DEVOPS_EXT_PAT='),
  inside('access-token-name', random(40, 'pat'), '  "DEPLOY_PAT": "', '",'),
  inside('cookie', random(32, 'co'), 'Cookie: theme=dark; session_id=', '; lang=en'),
  inside('option-password', 'S3cr3t!gg', 'keytool -list -keystore a.jks -storepass '),
  inside('sql-password', 'S3cr3t!hh', "CREATE USER 'me'@'%' IDENTIFIED BY '", "';"),
  inside('sql-password', 'S3cr3t!ii', "ALTER ROLE me WITH LOGIN PASSWORD '", "';"),
  inside('short-password-name', 'S3cr3t!jj', "auth: { user: 'me', pass: '", "' }"),
  inside('short-password-name', 'S3cr3t!kk', '{\\"user\\":\\"me\\",\\"pass\\":\\"', '\\"}'),
  inside('assignment', 'Tr0ub4dor&3', 'DB_PASSWORD="', '"'),
  inside('assignment', random(18, 'as7'), '  AZURE_CREDENTIALS: '),
  inside('assignment', 'S3cr3t!x', '[client]\nuser = me\npassword = '),
  inside('assignment', 'hunter2xyz', 'export PGPASSWORD=', ' psql'),
  inside('assignment', random(32, 'as1', HEX), '"api_key": "', '",'),
  inside('assignment', random(50, 'as2'), "SECRET_KEY = '", "'"),
  inside('assignment', random(40, 'as3'), '{\\"client_secret\\": \\"', '\\"}'),
  inside('assignment', random(32, 'as4'), '    token: '),
  inside('assignment', random(24, 'as5'), 'deploy --token ', ' --now'),
  inside('assignment', random(40, 'as6'), '//registry.npmjs.org/:_authToken='),
  // As it is asked for and typed, or stands in a block of its own.
  inside('assignment', 'Tr0ub4dor+3', 'Password:\n'),
  inside('assignment', 'S3cr3t!xy', 'user: me\r\npassword:\r\n  ', '\r\nhost: a'),
  inside('assignment', 'S3cr3t!xw', '     3→password:\n     4→  '),
  inside('assignment', 'Tr0ub4dor+4', '  db_password: >-\n    '),
  inside('assignment', random(40, 'as8'), 'API key:\n`', '`'),
  // As a model writes it for people.
  inside('assignment', 'S3cr3t!xz', '- **Password:** `', '`'),
  inside('assignment', 'S3cr3t!yz', '**Password**: '),
  inside('assignment', random(32, 'as9'), 'Your API Key: '),
  inside('assignment', 'S3cr3t!zz', '| Password     | ', ' |'),
  inside('assignment', 'S3cr3t!ee', 'Client.builder().user("me").password("', '").build()'),
  inside('assignment', 'S3cr3t!ff', 'source.setPassword(\\"', '\\");'),
  // A name and its value apart.
  inside('assignment', 'S3cr3t!aa', '- name: DB_PASSWORD\n      value: "', '"'),
  inside('assignment', 'S3cr3t!bb', '{\\"name\\": \\"DB_PASSWORD\\", \\"value\\": \\"', '\\"}'),
  inside('assignment', random(32, 'as10'), '<add key="ApiKey" value="', '" />'),
  inside('assignment', 'S3cr3t!cc', '<password>', '</password>'),
  inside('assignment', 'S3cr3t!dd', '<entry key="db.password">', '</entry>'),
  inside('operand-password', 'adm1n-word', 'mysqladmin -u root password ', ''),
  inside('operand-password', 'wif1-word', "nmcli dev wifi connect Home password '", "'"),
  inside('set-secret', random(40, 'set1'), 'npm config set //r.internal/:_authToken '),
  inside('set-secret', 'pul-umi9', 'pulumi config set --secret mailPw ', ' --stack prod'),
  inside('set-secret', 'v4ulted-in', 'vault kv put secret/shop pin="', '" ttl=1h'),
  inside('login-call', 'c4lled-in', "requests.get(url, auth=('me', '", "'))"),
  inside('oracle-login', 'or4cle-in', 'sqlplus -s me/', '@//db.internal:1521/shop'),
  inside('pgpass', 'pg-p4ss', 'db.internal:5432:*:me:', ''),
  inside('docker-config', btoa(`{"auths":{"r.io":{"auth":"${btoa('me:d0ckered-in')}"}}}`), 'DOCKER_CONFIG_JSON='),
  inside('url-key', random(32, 'uk'), 'GET /v1/items?page=2&key=', ' HTTP/1.1'),
  inside('kubernetes-secret', btoa('p0dded-in'), 'apiVersion: v1\nkind: Secret\ndata:\n  smtp: ', '\ntype: Opaque'),
  inside('piped-password', 'ch4nged-in', 'echo "root:', '" | chpasswd'),
  inside('handed-password', 'ch4nged-too', 'chpasswd <<EOF\nroot:', '\nEOF'),
  inside('option-password', 's4-sa!', 'sqlcmd -S db -U sa -P ', ' -Q "select 1"'),
];
