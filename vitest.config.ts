import { defineConfig } from 'vitest/config'

const SHARED = {
  // No module has a state that a test could notice: the files share them, which saves much loading.
  isolate: false,
  // Simulated universes make much garbage.
  execArgv: ['--max-semi-space-size=64'],
  // A machine that runs several of these suites is five times as slow as an idle one; a test that hangs is seen anyway.
  testTimeout: 120_000,
  hookTimeout: 300_000,
  setupFiles: ['test/setup.ts'],
}

/** Folders of src/ whose tests book chains. */
const CHAIN = ['chain', 'ledger', 'audit', 'backup', 'compare']
/** Folders of src/ whose tests are about what is sent live. */
const LIVE = ['bus', 'events', 'stream', 'webhooks', 'books', 'scores', 'prices']

const testsOf = (folders: string[]) => folders.map((folder) => `src/${folder}/**/*.test.ts`)

// A project has worker processes of its own, which keep the universes of all its files in memory:
// several projects, in the order of their names, need less of it than one.
const PROJECTS: Record<string, { include: string[]; exclude?: string[] }> = {
  upstreams: { include: ['src/upstreams/**/*.test.ts', 'sim/**/*.test.ts'] },
  chain: { include: testsOf(CHAIN) },
  live: { include: testsOf(LIVE) },
  // The first of all, with the longest file: of the last project, one worker would wait for it at the end.
  api: {
    include: ['src/**/*.test.ts', 'demo/**/*.test.ts', 'test/demo.test.ts'],
    exclude: testsOf([...CHAIN, ...LIVE, 'upstreams']),
  },
  whole: { include: ['test/**/*.test.ts'], exclude: ['test/demo.test.ts', '**/node_modules/**'] },
}

export default defineConfig({
  test: {
    // Many tests wait for processes and sockets: as many files at once as there are cores, not one less.
    maxWorkers: '100%',
    globalSetup: ['test/global-setup.ts'],
    // Compiled modules stay in node_modules/ from run to run, by the hash of their source.
    experimental: { fsModuleCache: true },
    projects: Object.entries(PROJECTS).map(([name, files]) => ({
      test: { name, ...files, ...SHARED },
    })),
  },
})
