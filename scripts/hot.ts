/**
 * Verbs that answer in a moment have bundles of their own, with the byte code V8 made of what they run: loading them takes
 * a third of the time. `bin/skein` takes them where they fit its V8, and the whole command elsewhere.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, type BuildResult, build, type Plugin } from 'esbuild';

interface Hot {
  /** When it is not the one of its name. */
  readonly verbs?: readonly string[];
  /** What is to be fast is gone through. */
  readonly runs: readonly (readonly string[])[];
  /** Also with a place named, where last lines are not finished: most archives have some of those. */
  readonly places?: boolean;
  /** Told on standard input of a session that has grown since the last time, and sends it to this address. */
  readonly follows?: boolean;
  /** It writes sessions and asks a model: not among those of the demo, and the one at this address. */
  readonly asks?: boolean;
  /** Its parts that are left to a larger bundle, besides those that read a team: bin/skein goes on with that where they are asked for. */
  readonly without?: RegExp;
  /** What every run of it imports late, which is loaded with the rest: each such part has names to be looked up and functions to be made for it. */
  readonly always?: RegExp;
}

/** What is only loaded with --team. */
const TEAM = /\/(?:team|usage)\/(?:team\w*|read\/store|target)\.ts$|^\.\/team\w*\.ts$/;

/** By bundle, as bin/skein knows them. */
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
  // What an index answers by itself.
  quicksearch: {
    verbs: ['search'],
    runs: [
      ['search', 'test', '--json'],
      ['search', 'the'],
      ['search', 'nowhere', '--reveal'],
    ],
    places: true,
    without: /\/(?:library|kept|progress|shelf|closest|help)\.ts$/,
    always:
      /\/(?:commands\/search|search\/json|redact\/masker|redact\/json|search\/search|search\/histories)\.ts$|^\.\/archive\.ts$/,
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
  // After the one above, which keeps the sums that it answers with.
  quickusage: {
    verbs: ['usage'],
    runs: [['usage', '--json'], ['usage'], ['usage', '--by', 'project,model']],
    places: true,
    without: /\/(?:fromlibrary|tools|explain|statusline|kept|select|chats|agents|shelf|closest|help)\.ts$/,
    always: /\/(?:commands\/usage|usage\/report)\.ts$/,
  },
  archive: {
    runs: [
      ['archive', 'sync'],
      ['archive', 'sync', '--json'],
      ['archive', 'status'],
    ],
    without: /^\.\.\/archive\/(?!sync|status|verify)\w+\.ts$/,
  },
  read: {
    verbs: ['list', 'show', 'tree', 'cat', 'check', 'context', 'diff'],
    runs: [
      ['list'],
      ['list', '--json'],
      ['show', '@last'],
      ['show', '@last', '--json'],
      ['tree', '@last'],
      ['cat', '@last'],
      ['check', '@last'],
      ['context', '@last', '--prompt', 'Go on', '--json'],
    ],
  },
  hook: {
    runs: [['hook', 'run', '--archive', '--otlp']],
    follows: true,
    without: /^\.\.\/hook\/(?!run)\w+\.ts$|^\.\/(?:push|kept)\.ts$|\/originals\.ts$/,
  },
};

/** Leaves the other verbs out, and what they and this one load for a team. */
function only(name: string): Plugin {
  const { verbs = [name], without, always } = HOT[name] ?? {};
  return {
    name: 'only',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /./ }, ({ path, kind }) =>
        kind === 'dynamic-import' && (TEAM.test(path) || without?.test(path))
          ? { path, namespace: 'left-out' }
          : undefined,
      );
      onLoad({ filter: /./, namespace: 'left-out' }, ({ path }) => ({
        contents: `throw Object.assign(new Error(${JSON.stringify(`${path} is left out`)}), { code: 'LEFT_OUT' });`,
      }));
      // What every turn needs belongs in the bundle, so that it has byte code too.
      if (name === 'chat') {
        onResolve({ filter: /^\.\/tools\/index\.ts$/ }, ({ path, resolveDir }) => ({ path: join(resolveDir, path) }));
        onResolve({ filter: /^zod$/ }, ({ path }) => ({ path: fileURLToPath(import.meta.resolve(path)) }));
      }
      onLoad({ filter: /[/\\]cli[/\\]commands[/\\]\w+\.ts$/ }, ({ path }) => {
        return verbs.includes(basename(path, '.ts')) ? undefined : { contents: '{}', loader: 'json' };
      });
      if (always)
        onLoad({ filter: /[/\\]src[/\\].*\.ts$/ }, ({ path }) => ({
          contents: withImports(readFileSync(path, 'utf8'), always),
          loader: 'ts',
        }));
    },
  };
}

/** `import('./a.ts')` is asked for before anything else where `always` says so. */
function withImports(text: string, always: RegExp): string {
  const paths: string[] = [];
  const early = text.replace(/\bimport\('(\.[^']+)'\)/g, (late, path: string) =>
    always.test(path) ? `Promise.resolve(early${paths.push(path) - 1})` : late,
  );
  return paths.map((path, place) => `import * as early${place} from '${path}';`).join('') + early;
}

/** Each a function to be called with what a module has, so that the launcher can load it without the module loader. */
export function buildHot(options: BuildOptions & { metafile: true }): Promise<BuildResult<{ metafile: true }>>[] {
  return Object.keys(HOT).map((name) =>
    build({
      ...options,
      entryPoints: { [`hot-${name}`]: 'src/cli/main.ts' },
      banner: { js: `(function (require, module, __filename) {${options.banner?.js ?? ''}` },
      footer: { js: '})' },
      // Names are a third of what is read; nobody sees those of the hook.
      minifyIdentifiers: name === 'hook' || name.startsWith('quick'),
      // What has no module loader cannot import, only require.
      supported: { 'dynamic-import': false },
      plugins: [only(name), ...(options.plugins ?? [])],
    }),
  );
}

/** Adds the byte code of what these command lines run. */
type Learn = (args: readonly (readonly string[])[], input?: string, more?: object) => void;

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
    const address = `http://127.0.0.1:${String(port).trim()}`;
    const asking = {
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
      ANTHROPIC_BASE_URL: address,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_MAX_RETRIES: '0',
    };
    const whole = (argv: readonly string[], input?: string, more = {}) =>
      node(['-e', `require(${JSON.stringify(join(dist, 'main.cjs'))}).main(${JSON.stringify(argv)})`], input, more);
    whole(['archive', 'sync']);
    /** Sessions of old and new clients, each as most runs find it: known for a while, with one more turn. */
    const follow = (runs: string[][], learn: Learn) => {
      const sessions = globSync('projects/*/*.jsonl', { cwd: demo }).sort();
      for (const session of sessions) {
        // To an archive that has the demo nothing of it is new.
        const kept = { SKEIN_HOME: join(home, basename(session, '.jsonl')) };
        const grown = growingSession(join(demo, session), join(home, session));
        for (const turns of [-3, -2, -1]) for (const argv of runs) whole([...argv, '--wait', '0'], grown(turns), kept);
        learn(runs, grown(), kept);
      }
    };
    const torn = join(home, 'torn');
    const kept = { SKEIN_HOME: join(home, 'kept') };
    tearSessions(demo, torn);
    whole(['archive', 'sync', '--root', torn], '', kept);
    whole(['usage', '--root', torn], '', kept);
    for (const [name, { runs, places, follows, asks }] of Object.entries(HOT)) {
      const file = join(dist, `hot-${name}.cjs`);
      writeFileSync(file, toAscii(readFileSync(file, 'utf8')));
      const learn: Learn = (args, input, more = asks ? asking : {}) => {
        node([join(root, 'scripts', 'code-cache.cjs'), file, JSON.stringify(args)], input, more);
      };
      if (follows)
        follow(
          runs.map((argv) => [...argv, address]),
          learn,
        );
      else learn(runs);
      if (places)
        learn(
          runs.map((argv) => [...argv, '--root', torn]),
          '',
          kept,
        );
    }
  } finally {
    model.kill();
    rmSync(home, { recursive: true, force: true });
  }
}

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** Writes a session without its last turns, or whole, as if said just now, and gives what a client tells its hook of it. */
function growingSession(from: string, to: string): (turns?: number) => string {
  const text = readFileSync(from, 'utf8');
  const times = text.match(TIME)?.map((time) => Date.parse(time)) ?? [];
  const later = Date.now() - times.reduce((last, time) => Math.max(last, time), 0);
  const recent = text.replace(TIME, (time) => new Date(Date.parse(time) + later).toISOString());
  const lines = recent.split(/(?<=\n)/);
  const isPrompt = (line: string) => line.includes('"type":"user"') && !/"tool_result"|"isMeta":true/.test(line);
  const prompts = lines.flatMap((line, place) => (isPrompt(line) ? place : []));
  return (turns) => {
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, lines.slice(0, turns === undefined ? undefined : prompts.at(turns)).join(''));
    return JSON.stringify({ hook_event_name: 'Stop', transcript_path: to });
  };
}

/** Copies sessions as a client leaves them that is still writing, or was killed: the last line without its end, or half of it. */
function tearSessions(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
  for (const [place, session] of globSync('projects/**/*.jsonl', { cwd: to }).entries()) {
    const text = readFileSync(join(to, session), 'utf8');
    const last = text.length - text.lastIndexOf('\n', text.length - 2);
    writeFileSync(join(to, session), text.slice(0, place % 2 === 0 ? -1 : -(last >> 1)));
  }
}

/** Then a byte is a character, which is read at once. The bundler escapes what strings hold, but not regular expressions. */
function toAscii(text: string): string {
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
