/**
 * What has to be done before this process ends, by itself or by a signal. A SIGKILL leaves no time: commands that run then
 * live on, notice nothing, and end by themselves or when they next write to their pipe.
 */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const tasks = new Set<() => void>();

/** Gives what takes the task off again. */
export function atExit(task: () => void): () => void {
  if (tasks.size === 0) {
    process.on('exit', runAll);
    for (const signal of SIGNALS) process.on(signal, onSignal);
  }
  tasks.add(task);
  return () => {
    tasks.delete(task);
    if (tasks.size === 0) unhook();
  };
}

function runAll(): void {
  for (const task of tasks) task();
  tasks.clear();
}

/** Another listener has its own idea of what the signal means (an interrupt of the turn): then it decides. */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  runAll();
  unhook();
  process.kill(process.pid, signal);
}

function unhook(): void {
  process.off('exit', runAll);
  for (const signal of SIGNALS) process.off(signal, onSignal);
}
