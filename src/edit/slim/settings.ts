/** How much a slim takes away. Presets count kept turns (S7), so that applying one again changes nothing. */

/** Of turns that are not kept whole. */
export interface SlimSettings {
  /** The last turns with tool calls that are kept whole. */
  readonly turns: number;
  /** Results longer than this many characters are shortened to it. */
  readonly results: number;
  /** Texts inside of inputs, likewise. */
  readonly inputs: number;
  readonly images: Fate;
  readonly thinking: Fate;
  readonly attachments: Fate;
  /** Whole calls with their results. */
  readonly calls: Fate;
  /** Results of a tool loop that is still open, but for its last ones: its calls and thinking must stay (S3). */
  readonly openResults?: number;
}

export type Fate = 'keep' | 'drop';

export const PRESET_NAMES = ['light', 'standard', 'deep', 'bare'] as const;
export type Preset = (typeof PRESET_NAMES)[number];

const DROP_ASIDE = { images: 'drop', thinking: 'drop', attachments: 'drop' } as const;

export const PRESETS: Readonly<Record<Preset, SlimSettings>> = {
  light: {
    turns: 10,
    results: 4000,
    inputs: 4000,
    images: 'drop',
    thinking: 'keep',
    attachments: 'keep',
    calls: 'keep',
  },
  standard: { turns: 5, results: 800, inputs: 1000, ...DROP_ASIDE, calls: 'keep' },
  deep: { turns: 2, results: 0, inputs: 200, ...DROP_ASIDE, calls: 'keep' },
  bare: { turns: 0, results: 0, inputs: 0, ...DROP_ASIDE, calls: 'drop' },
};

export interface SlimStep {
  readonly name: string;
  readonly settings: SlimSettings;
}

/** What `--budget` tries, one after the other, until the context fits. */
export const BUDGET_STEPS: readonly SlimStep[] = [
  { name: 'light', settings: PRESETS.light },
  { name: 'standard', settings: PRESETS.standard },
  { name: 'deep', settings: PRESETS.deep },
  { name: 'deep, 1 turn', settings: { ...PRESETS.deep, turns: 1 } },
  { name: 'deep, no turn', settings: { ...PRESETS.deep, turns: 0 } },
  { name: 'bare', settings: PRESETS.bare },
  { name: 'bare, open loop too', settings: { ...PRESETS.bare, openResults: 800 } },
];
