/**
 * Runs a job over the files named on the command line and prints the seconds it took, of time and of CPU, without the start of Node.
 * With WARM_UP it runs over that file first, unmeasured: then the compiler's own work is not part of the figure.
 */
export function measured(job: (files: readonly string[]) => number): void {
  const files = process.argv.slice(2);
  if (process.env.WARM_UP) job([process.env.WARM_UP]);
  const before = process.cpuUsage();
  const started = performance.now();
  const result = job(files);
  const time = (performance.now() - started) / 1e3;
  const { user, system } = process.cpuUsage(before);
  // With --expose-gc: what is still held when the job is done.
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  const rss = process.resourceUsage().maxRSS * 1024;
  console.log(JSON.stringify({ time, cpu: (user + system) / 1e6, rss, held: heapUsed + external, result }));
}
