/** Whether commands are shut in, by the settings and the flag. */
import { asArray, asObject, asString, type JsonObject } from '../../format/json.ts';
import type { Sandbox } from '../tools/shell/types.ts';
import { createSandbox, findBwrap } from './bwrap.ts';

export interface SandboxWish {
  /** `--sandbox` */
  readonly isAsked: boolean;
  /** `sandbox` of the settings. */
  readonly settings: JsonObject;
  readonly folders: readonly string[];
  /** Where programs are looked for. */
  readonly path: string;
  readonly notice: (words: string) => void;
  readonly find?: typeof findBwrap;
}

export type Chosen = { readonly sandbox?: Sandbox } | { readonly refused: string };

/** Who demands it gets it or nothing. */
export async function chooseSandbox(wish: SandboxWish): Promise<Chosen> {
  const { isAsked, settings, folders, notice, find = findBwrap } = wish;
  if (!isAsked && settings.enabled !== true) return {};
  const isDemanded = isAsked || settings.failIfUnavailable === true || settings.allowUnsandboxedCommands === false;
  const found = await find(wish.path);
  if ('why' in found) {
    if (isDemanded) return { refused: `Commands cannot be shut in: ${found.why}.` };
    notice(`Commands run without the sandbox that the settings ask for: ${found.why}.`);
    return {};
  }
  const domains = (asArray(asObject(settings.network)?.allowedDomains) ?? []).flatMap(
    (domain) => asString(domain) ?? [],
  );
  const network = domains.includes('*');
  if (domains.length > 0 && !network) {
    notice(
      'In the sandbox there is no network: single domains (sandbox.network.allowedDomains) cannot be let through, only "*".',
    );
  }
  return { sandbox: createSandbox(found.program, { folders, network }) };
}
