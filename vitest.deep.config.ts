import { defineConfig } from 'vitest/config';

/** The long property and kill runs. */
export default defineConfig({
  test: {
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/properties.ts',
    include: ['test/deep/**/*.test.ts'],
    testTimeout: 1_200_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 15_000 } },
    maxWorkers: 2,
  },
});
