/**
 * One made-up secret per rule, put together from parts so that no scanner takes this file for a leak, and texts that look
 * alike but must stay readable.
 */

const ALNUM = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const LOWER = 'abcdefghijklmnopqrstuvwxyz0123456789';
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const HEX = '0123456789abcdef';

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
const uuid = '3f2b8c1e-9d4a-4b7e-8f10-2a6c5d9e7b31';

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
  inside('curl-user', 'n0t-telling', 'curl -s -u me:', ' https://api.internal'),
  inside('sshpass', 'w0rdpass', "sshpass -p '", "' ssh host"),
  inside('openssl-password', 'w0rd&pass', 'openssl pkcs12 -in a.p12 -nodes -passin pass:', ' -out a.pem'),
  inside('npm-auth', btoa('me:s3cret!word'), '//registry.internal/:_auth=', '\nalways-auth=true'),
  inside('npm-auth', btoa('ci:an0ther-word'), '_auth = "', '"'),
  inside('mysql-password', 'm0nkeyIsland', 'mysql -uroot -p', ' shop'),
  inside('mysql-password', 'sh0p&pw', 'mysqldump --single-transaction -h db.internal -u shop -p"', '" shop > dump.sql'),
  inside('mysql-password', 'c0rrect!horse', "docker exec db mariadb-admin -u root -p'", "' status"),
  inside('login-password', random(20, 'dl', LETTERS), 'docker login -u me -p ', ' registry.internal'),
  inside('login-password', 'l3t-me-in', 'podman login registry.internal --username me -p="', '"'),
  inside('login-password', random(34, 'al'), 'az login --service-principal -u 0f8f -p ', ' --tenant y'),
  inside('mongo-password', 'm0ngoose!', 'mongosh mongodb://db.internal/shop -u me -p ', ' --quiet'),
  inside('mongo-password', 'd0g&bone', "mongodump -h db -u me -p '", "' -o out"),
  inside('curl-letters', 'n0t-for-you', 'curl -sSu me:', ' https://api.internal'),
  inside(
    'telegram-token',
    `${random(9, 'tg', '123456789')}:AA${random(33, 'tg2')}`,
    'https://api.telegram.org/bot',
    '/getMe',
  ),
  inside('redis-password', random(24, 'rc'), 'redis-cli -h cache.internal -a ', ' ping'),
  inside('redis-password', 'c4che-it', 'redis-cli --no-auth-warning --pass ', ' info'),
  inside('sshpass', 'gl4ss-bead', 'sshpass -p', ' scp a host:'),
  inside(
    'ldap-password',
    'd1rectory!',
    'ldapsearch -x -H ldap://dc.internal -D "cn=Directory Manager,dc=x" -w ',
    ' -b dc=x uid=me',
  ),
  inside('ldap-password', 'b1nd;me', "ldapmodify -x -D cn=admin,dc=x \\\n  -w '", "' -f a.ldif"),
  inside('ldap-password', 'gl0ry-box', 'ldapwhoami -x -D uid=me -w', ''),
  inside('zip-password', 'p4cked!', 'zip -r -P ', ' out.zip dir'),
  inside('zip-password', 'r0lled-up', "zip -rP '", "' out.zip dir"),
  inside('zip-password', 'unp4cked', 'unzip -o a.zip -P "', '" -d out'),
  inside('smb-password', 'sh4red!', 'smbclient //files/team -U me%', ' -c ls'),
  inside('smb-password', 'sh4re & more', "smbclient -L files -U 'OFFICE\\me%", "'"),
  inside('smb-password', 'rp0-call', 'rpcclient --user=me%', ' dc.internal'),
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
];

/** Texts in which nothing is secret. */
export const HARMLESS: readonly string[] = [
  `session ${uuid} parent ${uuid}`,
  `{"uuid":"${uuid}","parentUuid":"${uuid}","sessionId":"${uuid}"}`,
  `commit ${random(40, 'git', HEX)}\nAuthor: A <a@b.c>\nindex ${random(7, 'g2', HEX)}..${random(7, 'g3', HEX)} 100644`,
  `sha256:${random(64, 'sha', HEX)}`,
  `"integrity": "sha512-${random(86, 'int')}=="`,
  `resolved "https://registry.yarnpkg.com/a/-/a-1.0.0.tgz#${random(40, 'yarn', HEX)}"`,
  `toolu_01${random(22, 'tu')} msg_01${random(22, 'mu')} req_011C${random(20, 'ru')}`,
  `"tool_use_id":"toolu_01${random(22, 'tu2')}","requestId":"req_011C${random(20, 'r2')}"`,
  `data:image/png;base64,iVBORw0KGgo${random(400, 'png')}`,
  '"usage":{"input_tokens":12,"output_tokens":345,"cache_read_input_tokens":20481},"max_tokens": 32000',
  'color: #1f2a3b; background: #ffffffaa',
  '/home/alice/projects/secret-santa/src/token.ts:12:5',
  'const token = getToken();\nconst password = await prompt("Password: ");\nif (token === undefined) return;',
  'password: string; token?: string; apiKey: string | undefined; secret = options.secret',
  'function login(user: string, password: string): Promise<Token> {}',
  `api_key = os.environ["API_KEY"]\nsecret: process.env.SECRET\ntoken=$TOKEN password=\${DB_PASSWORD}`,
  `api_key: \${{ secrets.API_KEY }}\n  token: {{ .Values.token }}`,
  'API_KEY=your-api-key-here\nSECRET=changeme\nTOKEN=<your token>\nPASSWORD=xxxxxxxx\nPASSWORD=********',
  'AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE',
  'https://user:password@example.com/ http://localhost:3000/@scope/pkg postgres://postgres:postgres@localhost/db',
  'https://github.com/a/b/blob/main/c.ts https://x.y/z?page=2&sort=name mailto:a@b.c ssh://git@github.com:22/a',
  'Authorization: Bearer <token>\nAuthorization: Bearer $TOKEN\nAuthorization: Basic realm',
  'Bearer authentication is used; a bearer token is sent with every request.',
  'Set-Cookie: theme=dark; Path=/; Max-Age=31536000\nThe session cookie: see below, it is called sid.',
  '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----',
  'starts with "-----BEGIN PRIVATE KEY-----" and ends with "-----END PRIVATE KEY-----"',
  '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----',
  'sk-learn scikit-learn task-list disk-usage risk-assessment-of-the-whole-thing',
  'The password is wrong. Enter password: then press enter. Secret: none. Token: missing.',
  'tokenizer: "cl100k_base", token_count: 128000, tokens: 1000000, tokensPerSecond=512345678901',
  'npm_config_registry npm_package_json npm_lifecycle_script_name_that_is_rather_long',
  'version: "13.0.7", date: 2026-11-15T12:13:12.000Z, token: 2026-11-15T12:13:12.000Z',
  'PASSWORD_MIN_LENGTH=12 PASSWORD_RESET_TIMEOUT = 259200 password_hash_algorithm: argon2',
  'secretName: my-app-secrets\nsecretKeyRef:\n  name: db-credentials\n  key: password',
  'hooks.slack.com is blocked; discord.com/api/webhooks is not',
  'model: claude-opus-4-5-20251101 token: claude-opus-4-5-20251101',
  'private_key = ed25519.Ed25519PrivateKey.from_private_bytes(data)\npassword = base64.b16encode(x)\nf(private_key: ed25519.Ed25519PrivateKey)',
  "def unix_getpass(prompt='Password: ', stream=None):",
  'readonly STENCIL_BACK_PASS_DEPTH_PASS: 0x8803; "secretlint-rule-1password": "13.0.7", passphrase: "top secret"',
  'password = pass1word; token = t0; let secret = secret2.value1',
  'password: "Must have at least 8 characters", credentials: "include", password: "is wrong 3 times"',
  'PWD=/home/alice/work OLDPWD=/home/alice SSH_AUTH_SOCK=/tmp/ssh-abc123/agent.123',
  'mysql -p shop; mysql -u root -p$MYSQL_PASS; mysql -uroot -pexample; mysql -u root -p"$(pw)" -e "select 1"; mysql --port=3306',
  'docker run --name mysql -p3306:3306 -d mysql:8; docker run --name some-mysql -p127.0.0.1:3306:3306/tcp mysql; ssh mysql -p2222',
  'With mysql -parallel is not an option, use -proto or -project instead. mysql uses -print0 and -pipe.',
  'openssl enc -pass env:PASS; openssl rsa -passin file:pw.txt -passout stdin; go test -pass; _auth=required; :_auth=$NPM_AUTH; client_auth=bWU6c2VjcmV0',
  'docker login -u me --password-stdin; docker login -p $TOKEN; docker login with the -p flag; docker login -u me -p <password>',
  'docker compose -p project1 up; docker login && docker run -p 8080:80 web; az login then open -p folder; az login --use-device-code',
  'redis-cli -a "$REDIS_PASS" ping; redis-cli -a password; redis-cli --pass <password>; ls -a dir1; redis-cli is the -a option',
  'LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu0 FILE_PATTERN=abcdefghij0123456789abcdefgh AZURE_DEVOPS_PAT=$(cat pat) MY_PAT=your-token-goes-here-1',
  'https://x.y/1//0 a/1//0123 1//0abcdef; EAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  `data:font/woff2;base64,EAAA${random(300, 'woff')} ${random(30, 'b64')}EAAA${random(60, 'b65')}`,
  's.convertBase64ToUtf8Stri(x) s.someVeryLongMethodName12 s.getElementsByTagNameNS99x files.abcdefghijklmnopqrstuvwx',
  `this.s.${random(24, 'sv')} ${random(4, 'sw', LETTERS)}s.${random(24, 'sx')} s.${random(25, 'sy')} s.${random(24, 'sz')}.js`,
  'docker run --name mongo -p 27017:27017 -d mongo:7; mongosh -u me -p; mongo -p $PASS; mongosh -p <password>; mongo is -p folder',
  'curl -su "$USER:$PASS" https://x; curl -sSu me:$(pw) https://x; curl -fsu https://x:8080; printf "%2d:%2d %5.2f%%"; 100%25 %41%42',
  'ldapsearch -x -W -D cn=admin; ldapsearch -x -w "$LDAP_PW"; ldapsearch -y pw.txt; ldapsearch takes -w and a word; ldapsearch -x uid=me | grep -w abc123',
  'grep -w word1 file; ls -w 80; wc -w a1b2; sort -u file1; man ldapsearch; ldapsearch -w <password> -w secret',
  'zip -P is weak, use zip -e; zip -P password a.zip; unzip -P "$PW" a.zip; zip -r out.zip dir; gzip a1 -P b234; zip it and grep -P "a1[bc]2" file; zip a.txt b.txt && xargs -P 8 run1',
  'smbclient -U user //files/team; smbclient -U me%$PASS; smbclient -N -L files; psql -U user1; date -u +%Y-%m-%d; smb url -U "%Y%m%d"',
  'echo hello | sudo tee /etc/file1; echo "$PW" | sudo -S id; cat pw1.txt | sudo -S id; sudo -S < pw1.txt; echo "deb http://x y1" | sudo tee a; sudo -S asks on standard input',
  'cat <<< "some t3xt"; sudo tee a <<< "some t3xt"; kinit -kt a1.keytab me; kinit <<< $PW; <<<<<<< HEAD\nsudo -S\n=======\n>>>>>>> m4in; echo $TOKEN | docker login --password-stdin',
  'htpasswd -c .htpasswd me; htpasswd -b .htpasswd me "$PW"; htpasswd -nb me <password>; htpasswd -b takes the password from the command line',
  'expect "password:"\nsend "$password\\r"\nexpect "# "\nsend "uname -a1\\r"; send [lindex $argv 0]; please send "some t3xt\\r" now; expect "assword" { send "[lindex $argv 1]\\r" }',
  'The password page: send "some t3xt" to the user, then send the form. child.expect("assword"); child.sendline(pw1); child.sendline("ls -l1")',
  'token: "^[a-z0-9]+$|^#x1&y2$", secret = "f1(a2)&g3(b4)", token = "a1 && b2 || !c3", token: "#/definitions/token1&2", secret: "user:%s@host1#frag&x=1", token="$A1:$B2@$C3#$D4"',
  'curl -u "$USER:$PASS" https://x; docker run -u 1000:1000 image; git push -u origin main:main',
];
