/**
 * Verbs that answer in a moment have bundles of their own, with the byte code V8 made of what they run: loading them takes
 * a third of the time. `bin/skein` takes them where they fit its V8, and the whole command elsewhere.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, type BuildResult, build, type Plugin } from 'esbuild';

interface Hot {
  /** What is to be fast is gone through. */
  readonly runs: readonly (readonly string[])[];
  /** On standard input, from the folder of the sessions. */
  readonly input?: (demo: string) => string;
  /** It writes sessions and asks a model: not among those of the demo, and the one at this address. */
  readonly asks?: boolean;
}

/** By verb. */
const HOT: Readonly<Record<string, Hot>> = {
  chat: {
    runs: [
      ['chat', '-p', 'hi', '--allowedTools', 'Bash'],
      ['chat', '-p', 'hi', '--output-format', 'stream-json', '--permission-mode', 'bypassPermissions'],
      ['chat', '-p', 'hi', '--continue', '--output-format', 'json'],
    ],
    asks: true,
  },
  search: {
    runs: [
      ['search', 'test', '--json'],
      ['search', 'the'],
      ['search', 'tool:Bash', '--color', 'always'],
      ['search', 'nowhere', '--reveal'],
      ['search', 'test', '--scan', '--json'],
    ],
  },
  usage: {
    runs: [
      ['usage', '--statusline'],
      ['usage', '--json'],
      ['usage', '--by', 'project,model'],
      ['usage', '--heatmap'],
      ['usage', '--statusline'],
    ],
  },
  archive: {
    runs: [
      ['archive', 'sync'],
      ['archive', 'sync', '--json'],
      ['archive', 'status'],
    ],
  },
  hook: {
    // Nobody listens there: what would be sent is queued.
    runs: [['hook', 'run', '--archive', '--otlp', 'http://127.0.0.1:9', '--wait', '0']],
    input: (demo) => JSON.stringify({ hook_event_name: 'Stop', transcript_path: sessionIn(demo) }),
  },
};

function sessionIn(demo: string): string {
  const [first = ''] = globSync('projects/*/*.jsonl', { cwd: demo }).sort();
  return join(demo, first);
}

/** Leaves the other verbs out. */
function only(verb: string): Plugin {
  return {
    name: 'only',
    setup({ onLoad, onResolve }) {
      // What every turn needs belongs in the bundle, so that it has byte code too.
      if (verb === 'chat') {
        onResolve({ filter: /^\.\/tools\/index\.ts$/ }, ({ path, resolveDir }) => ({ path: join(resolveDir, path) }));
        onResolve({ filter: /^zod$/ }, ({ path }) => ({ path: fileURLToPath(import.meta.resolve(path)) }));
      }
      onLoad({ filter: /[/\\]cli[/\\]commands[/\\]\w+\.ts$/ }, ({ path }) => {
        return basename(path, '.ts') === verb ? undefined : { contents: '{}', loader: 'json' };
      });
    },
  };
}

/** Each a function to be called with what a module has, so that the launcher can load it without the module loader. */
export function buildHot(options: BuildOptions & { metafile: true }): Promise<BuildResult<{ metafile: true }>>[] {
  return Object.keys(HOT).map((verb) =>
    build({
      ...options,
      entryPoints: { [`hot-${verb}`]: 'src/cli/main.ts' },
      banner: { js: `(function (require, module, __filename) {${options.banner?.js ?? ''}` },
      footer: { js: '})' },
      // What has no module loader cannot import, only require.
      supported: { 'dynamic-import': false },
      plugins: [only(verb), ...(options.plugins ?? [])],
    }),
  );
}

/** For the Node that runs this: another one makes nothing of it and goes without. */
export async function makeCodeCaches(dist: string, root: string): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'skein-build-'));
  const demo = join(root, 'demo');
  const env = { PATH: process.env.PATH, HOME: home, SKEIN_HOME: home, CLAUDE_CONFIG_DIR: demo };
  const model = spawn(process.execPath, [join(root, 'scripts', 'hot-model.cjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const node = (args: string[], input = '', more = {}) =>
    execFileSync(process.execPath, args, { env: { ...env, ...more }, input, stdio: ['pipe', 'ignore', 'inherit'] });
  try {
    const [port] = await once(model.stdout, 'data');
    const asking = {
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${String(port).trim()}`,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_MAX_RETRIES: '0',
    };
    node(['-e', `require(${JSON.stringify(join(dist, 'main.cjs'))}).main(['archive', 'sync'])`]);
    for (const [verb, { runs, input, asks }] of Object.entries(HOT)) {
      const file = join(dist, `hot-${verb}.cjs`);
      writeFileSync(file, toAscii(readFileSync(file, 'utf8')));
      node([join(root, 'scripts', 'code-cache.cjs'), file, JSON.stringify(runs)], input?.(demo), asks ? asking : {});
    }
  } finally {
    model.kill();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Then a byte is a character, which is read at once. The bundler escapes what strings hold, but not regular expressions. */
function toAscii(text: string): string {
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
