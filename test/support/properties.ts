/** Property tests repeat the same cases, so that a run says something about the change; `PROPERTY_SEED=7` tries others. */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 2026) });
