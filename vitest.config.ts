import { defineConfig } from 'vitest/config';

const common = {
  setupFiles: 'test/support/properties.ts',
  testTimeout: 60_000,
  hookTimeout: 120_000,
  // A browser beside other tests takes its time.
  expect: { poll: { timeout: 15_000 } },
};

/** Tests that leave nothing behind share a process: one of its own takes each file a third of a second of CPU. */
const TOGETHER = ['format', 'graph', 'edit', 'views', 'disk', 'redact', 'export', 'agent'];
const files = (folder: string) => `test/${folder}/**/*.test.ts`;

export default defineConfig({
  test: {
    globalSetup: 'test/support/global-setup.ts',
    maxWorkers: 2,
    projects: [
      { test: { ...common, name: 'together', include: TOGETHER.map(files), isolate: false } },
      {
        test: {
          ...common,
          name: 'apart',
          include: ['test/**/*.test.ts'],
          exclude: ['deep', 'interop', ...TOGETHER].map(files),
        },
      },
    ],
  },
});
