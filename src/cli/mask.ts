/** Secrets in what a verb shows: masked, unless --reveal (docs/redaction.md). */
import type { Mask } from '../views/options.ts';
import type { Arguments, Option } from './command.ts';
import type { Context } from './context.ts';
import { inertJson, jsonText } from './jsontext.ts';

export const REVEAL_OPTION = {
  reveal: { type: 'boolean', help: 'Show secrets as they are instead of masked (docs/redaction.md)' },
} as const satisfies Record<string, Option>;

/** The text with placeholders for its secrets. */
export interface Masking extends Mask {
  /** A value as JSON for people and programs, every string of it masked. */
  json(value: object): string;
  /**
   * Masked texts in their order. They are made once more when a secret was found on the way, so that it is masked also where it
   * stands before the place that gave it away. What is longer than can be held back is not.
   */
  settled(make: () => Iterable<string>): Iterable<string>;
  /** How many secrets it has found so far that it masks wherever they stand. */
  learnt(): number;
}

const revealed: Masking = Object.assign((text: string) => text, {
  json: jsonText,
  settled: (make: () => Iterable<string>) => make(),
  learnt: () => 0,
});

/** Characters that are held back. */
const MOST_HELD = 8e6;

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
  function* settled(make: () => Iterable<string>): Generator<string> {
    const before = masker.learnt;
    const held: string[] = [];
    let size = 0;
    for (const text of make()) {
      held.push(text);
      size += text.length;
      if (size > MOST_HELD) yield* held.splice(0);
    }
    yield* masker.learnt > before && size <= MOST_HELD ? make() : held;
  }
  const json = (value: object) => inertJson(maskJsonText(JSON.stringify(value, null, 2), masker));
  return Object.assign((text: string) => masker.mask(text), {
    json: (value: object) => [...settled(() => [json(value)])].join(''),
    settled,
    learnt: () => masker.learnt,
  });
}

function tell({ err }: Context): void {
  err.write(
    `${err.style.warn('warning:')} what could not be scanned for secrets is not shown ${err.style.dim('(--reveal shows it)')}\n`,
  );
}
