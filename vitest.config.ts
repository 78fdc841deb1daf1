import { defineConfig } from 'vitest/config'

const SHARED = {
  // No module has a state that a test could notice: the files share them, which saves much loading.
  isolate: false,
  // Simulated universes make much garbage.
  execArgv: ['--max-semi-space-size=64'],
  testTimeout: 30_000,
  hookTimeout: 60_000,
}

export default defineConfig({
  test: {
    // Many tests wait for processes and sockets: as many files at once as there are cores, not one less.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          name: 'service',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'demo/**/*.test.ts'],
          exclude: ['src/upstreams/**', '**/node_modules/**'],
          globalSetup: ['test/global-setup.ts'],
          ...SHARED,
        },
      },
      {
        test: {
          // Without a database to start.
          name: 'upstreams',
          include: ['src/upstreams/**/*.test.ts', 'sim/**/*.test.ts'],
          ...SHARED,
        },
      },
    ],
  },
})
