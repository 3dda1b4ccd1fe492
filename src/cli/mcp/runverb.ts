/** Verbs run as functions: what they would have printed is the answer. */
import { Writable } from 'node:stream';
import type { Answer, RunVerb } from '../../client/mcp/server.ts';
import { safeText } from '../../views/safe.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../errors.ts';
import { dispatch } from '../main.ts';
import { openTerminal, type Terminal } from '../terminal.ts';

/** Wide enough for tables, narrow enough for whoever pays for each character. */
const COLUMNS = 160;

/**
 * `rest` is added to every call: where to look, and whether to reveal. SIGINT and SIGTERM are left to the system, so the context's own signal is not asked for:
 * nobody could hear it while a verb waits for a team that does not answer.
 */
export function runVerbIn({ env, home, cwd, now }: Context, rest: readonly string[]): RunVerb {
  const { signal } = new AbortController();
  return async (argv) => {
    const [out, err] = [capture(env), capture(env)];
    // Options stand before `--`.
    const [verb = '', ...others] = argv;
    const code = await attempt(err.terminal, () =>
      dispatch({ env, home, cwd, now, out: out.terminal, err: err.terminal, signal, asTool: true }, [
        verb,
        ...rest,
        ...others,
      ]),
    );
    const told = rest.includes('--reveal') ? err.text() : await withoutSecrets(err.text());
    return { code, out: out.text(), err: told } satisfies Answer;
  };
}

/** What went wrong repeats what was asked; verbs mask only what they show. */
async function withoutSecrets(text: string): Promise<string> {
  if (text === '') return text;
  const { createMasker } = await import('../../redact/masker.ts');
  return createMasker().mask(text);
}

async function attempt(err: Terminal, call: () => Promise<number>): Promise<number> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Error && 'where' in error && 'next' in error) {
      const what = 'what' in error ? String(error.what) : error.message;
      err.write(safeText(`${what}\nat: ${error.where}\nnext: ${error.next}\n`));
      return error instanceof CommandError && error.exitCode === 1 ? 1 : 2;
    }
    err.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
}

function capture(own: Context['env']): { terminal: Terminal; text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer | string, _encoding, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  const env = { ...own, COLUMNS: String(COLUMNS) };
  const terminal = openTerminal(stream, { isTerminal: false, color: 'never', env });
  return { terminal, text: () => Buffer.concat(chunks).toString('utf8') };
}
