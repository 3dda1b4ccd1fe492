import { defineConfig } from 'vitest/config';

/** The published client on loopback; `npm run interop` installs it first. */
export default defineConfig({
  test: {
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/properties.ts',
    include: ['test/interop/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
});
