// Preloaded into a measured process: says its peak memory when it ends.
process.on('exit', () => process.stderr.write(`peak ${process.resourceUsage().maxRSS * 1024}\n`));
