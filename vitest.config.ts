import { defineConfig } from 'vitest/config'

const TIMEOUTS = { testTimeout: 30_000, hookTimeout: 60_000 }

export default defineConfig({
  test: {
    // Many tests wait for processes and sockets: as many files at once as there are cores, not one less.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          name: 'service',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'demo/**/*.test.ts'],
          exclude: ['src/upstreams/**'],
          globalSetup: ['test/global-setup.ts'],
          ...TIMEOUTS,
        },
      },
      {
        test: {
          // No database and no state in modules: the files share them, which saves a minute of loading.
          name: 'upstreams',
          include: ['src/upstreams/**/*.test.ts', 'sim/**/*.test.ts'],
          isolate: false,
          ...TIMEOUTS,
        },
      },
    ],
  },
})
