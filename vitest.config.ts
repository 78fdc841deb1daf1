import { relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

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
/** Folders of src/ whose tests are about what is read and sent live. */
const LIVE = ['upstreams', 'bus', 'events', 'stream', 'webhooks', 'books', 'scores', 'prices']

const testsOf = (folders: string[]) => folders.map((folder) => `src/${folder}/**/*.test.ts`)

// A project has worker processes of its own, which keep the universes of all its files in memory:
// several projects, in the order of their names, need less of it than one. Each process loads the code once.
const PROJECTS: Record<string, { include: string[]; exclude?: string[] }> = {
  chain: { include: testsOf(CHAIN) },
  live: { include: [...testsOf(LIVE), 'client/src/**/*.test.ts', 'sim/**/*.test.ts'] },
  api: {
    include: ['src/**/*.test.ts', 'demo/**/*.test.ts'],
    exclude: testsOf([...CHAIN, ...LIVE]),
  },
  whole: { include: ['test/**/*.test.ts'], exclude: ['**/node_modules/**'] },
}

/**
 * What takes longest begins first, so that no worker waits at the end for another one with a long file. Vitest knows
 * how long files take from the run before, which a clean clone lacks: there it goes by their size.
 */
const LONG = [
  'test/demo.test.ts',
  'test/browser/pages.test.ts',
  'test/lifecycle.test.ts',
  'test/roles.test.ts',
  'test/rolling-restart.test.ts',
  'test/lists.test.ts',
  'test/number-edges.test.ts',
  'test/reconcile/reconcile.test.ts',
  'test/reorg-lists.test.ts',
  'test/repair.test.ts',
  'test/streams/resume.test.ts',
  'test/replicas.test.ts',
  'test/webhooks/kills.test.ts',
  'test/ingest-faults.test.ts',
  'test/crash.test.ts',
  'test/client/against-service.test.ts',
]

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rankOf = ({ project, moduleId }: TestSpecification) => {
      const index = LONG.indexOf(relative(project.config.root, moduleId))
      return index === -1 ? LONG.length : index
    }
    const projects = [...new Set(sorted.map(({ project }) => project))]
    return projects.flatMap((each) =>
      sorted.filter(({ project }) => project === each).sort((a, b) => rankOf(a) - rankOf(b)),
    )
  }
}

export default defineConfig({
  test: {
    // Many tests wait for processes and sockets: as many files at once as there are cores, not one less.
    maxWorkers: '100%',
    sequence: { sequencer: LongFirst },
    globalSetup: ['test/global-setup.ts'],
    // Compiled modules stay in node_modules/ from run to run, by the hash of their source.
    experimental: { fsModuleCache: true },
    projects: Object.entries(PROJECTS).map(([name, files]) => ({
      test: { name, ...files, ...SHARED },
    })),
  },
})
