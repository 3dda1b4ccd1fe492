/** Secrets in what a verb shows: masked, unless --reveal (docs/redaction.md). */
import type { Mask } from '../views/options.ts';
import type { Arguments, Option } from './command.ts';
import type { Context } from './context.ts';

export const REVEAL_OPTION = {
  reveal: { type: 'boolean', help: 'Show secrets as they are instead of masked (docs/redaction.md)' },
} as const satisfies Record<string, Option>;

/** The text with placeholders for its secrets. */
export interface Masking extends Mask {
  /** A value as JSON for people and programs, every string of it masked. */
  json(value: object): string;
}

const revealed: Masking = Object.assign((text: string) => text, { json: toJson });

/** Remembers what it masked: a verb opens one for all it shows. */
export async function openMask(context: Context, args: Arguments): Promise<Masking> {
  if (args.flag('reveal')) return revealed;
  const [{ createMasker }, { maskJsonText }] = await Promise.all([
    import('../redact/masker.ts'),
    import('../redact/json.ts'),
  ]);
  let told = false;
  const onNotScanned = () => {
    if (!told) tell(context);
    told = true;
  };
  const masker = createMasker({ onNotScanned });
  return Object.assign((text: string) => masker.mask(text), {
    json: (value: object) => maskJsonText(toJson(value), masker),
  });
}

function toJson(value: object): string {
  return JSON.stringify(value, null, 2);
}

function tell({ err }: Context): void {
  err.write(
    `${err.style.warn('warning:')} what could not be scanned for secrets is not shown ${err.style.dim('(--reveal shows it)')}\n`,
  );
}
