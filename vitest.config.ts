import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/properties.ts',
    include: ['test/**/*.test.ts'],
    exclude: ['test/deep/**', 'test/interop/**'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A browser beside other tests takes its time.
    expect: { poll: { timeout: 15_000 } },
    maxWorkers: 2,
  },
});
