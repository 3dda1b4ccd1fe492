/** Runs a job over the files named on the command line and prints the CPU seconds it took, without the start of Node. */
export function measured(job: (files: readonly string[]) => number): void {
  const files = process.argv.slice(2);
  const before = process.cpuUsage();
  const result = job(files);
  const { user, system } = process.cpuUsage(before);
  // With --expose-gc: what is still held when the job is done.
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  const rss = process.resourceUsage().maxRSS * 1024;
  console.log(JSON.stringify({ cpu: (user + system) / 1e6, rss, held: heapUsed + external, result }));
}
