import { defineConfig } from 'vitest/config';

/** The long property and kill runs. */
export default defineConfig({
  test: { include: ['test/deep/**/*.test.ts'], testTimeout: 1_200_000, hookTimeout: 600_000 },
});
