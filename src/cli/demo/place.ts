/** Where the demo plays: a folder and a home of its own, which nobody misses. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { startDemoModel } from './model.ts';
import { DEMO_FILES } from './script.ts';

export interface Demo {
  readonly context: Context;
  close(): void;
}

/** The same world, but for where it is, whose it is and who answers. */
export async function openDemo(context: Context): Promise<Demo> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'skein-demo-')));
  const [cwd, home] = [join(root, 'greeter'), join(root, 'home')];
  for (const folder of [cwd, home]) mkdirSync(folder);
  for (const [name, text] of Object.entries(DEMO_FILES)) writeFileSync(join(cwd, name), text);
  const model = await startDemoModel();
  const env = {
    ...context.env,
    HOME: home,
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    SKEIN_HOME: join(home, '.skein'),
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'demo',
    ANTHROPIC_AUTH_TOKEN: undefined,
    ANTHROPIC_MODEL: undefined,
    ANTHROPIC_CUSTOM_HEADERS: undefined,
    HTTP_PROXY: undefined,
    HTTPS_PROXY: undefined,
    http_proxy: undefined,
    https_proxy: undefined,
  };
  process.chdir(cwd);
  return {
    context: {
      env,
      home,
      cwd,
      now: context.now,
      out: context.out,
      get err() {
        return context.err;
      },
      get signal() {
        return context.signal;
      },
    },
    close: () => {
      model.close();
      process.chdir(tmpdir());
      rmSync(root, { recursive: true, force: true });
    },
  };
}
