/** Play, pause, step: below the chat, and by keyboard. */
import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import { isCommand } from '../app/keys.ts';
import type { Replay } from './replay.ts';

const SPEEDS: readonly number[] = [1, 2, 4];
/** Between two steps at the first speed. */
const STEP_MS = 1600;

export function Player({ replay, branch }: { readonly replay: Replay; readonly branch: number }) {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(1);
  useEffect(() => replay.onStep(() => redraw(undefined)), [replay]);
  const last = replay.stepsOf(branch);
  const step = Math.min(replay.step(), last);
  const go = (to: number) => {
    setPlaying(false);
    replay.show(Math.max(1, Math.min(to, last)));
  };
  const toggle = () => {
    if (!playing && step >= last) replay.show(1);
    setPlaying(!playing);
  };
  useEffect(() => {
    if (!playing) return;
    const timer = setInterval(() => {
      if (replay.step() >= last) setPlaying(false);
      else replay.show(replay.step() + 1);
    }, STEP_MS / speed);
    return () => clearInterval(timer);
  }, [playing, speed, replay, last]);
  usePlayerKeys({
    ' ': toggle,
    ArrowRight: () => go(step + 1),
    ArrowLeft: () => go(step - 1),
    Home: () => go(1),
    End: () => go(last),
  });
  return (
    <section class="player" aria-label="Replay">
      <button
        type="button"
        class="button"
        aria-label="One step back"
        title="Step back (←)"
        disabled={step <= 1}
        onClick={() => go(step - 1)}
      >
        ‹
      </button>
      <button type="button" class="button player-play" title="Play or pause (Space)" onClick={toggle}>
        {playing ? 'Pause' : 'Play'}
      </button>
      <button
        type="button"
        class="button"
        aria-label="One step on"
        title="Step on (→)"
        disabled={step >= last}
        onClick={() => go(step + 1)}
      >
        ›
      </button>
      <input
        type="range"
        min={1}
        max={last}
        value={step}
        aria-label="Step"
        onInput={(event) => go(Number(event.currentTarget.value))}
      />
      <span class="number small" role="status">
        {step} of {last}
      </span>
      <button
        type="button"
        class="button"
        aria-label={`Speed: ${speed} times`}
        onClick={() => setSpeed(SPEEDS[(SPEEDS.indexOf(speed) + 1) % SPEEDS.length] ?? 1)}
      >
        {speed}×
      </button>
    </section>
  );
}

function usePlayerKeys(does: Readonly<Record<string, () => void>>): void {
  const latest = useRef(does);
  latest.current = does;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const onControl = event.target instanceof Element && event.target.closest('button, a, summary') !== null;
      if (!isCommand(event) || document.querySelector('dialog[open]') || (event.key === ' ' && onControl)) return;
      const act = Object.hasOwn(latest.current, event.key) ? latest.current[event.key] : undefined;
      if (act === undefined) return;
      act();
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
