import { availableParallelism } from 'node:os'
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
const testsOf = (folders: string[]) => folders.map((folder) => `src/${folder}/**/*.test.ts`)

// A project has worker processes of its own, which keep the universes of all its files in memory: several projects need
// less of it than one. Each process loads the code once, which takes 5 s. They follow each other in this order without a
// pause; the one with the long files is the first, so that the last files of a run are short.
const PROJECTS: Record<string, { include: string[]; exclude?: string[] }> = {
  whole: { include: ['test/**/*.test.ts'], exclude: ['**/node_modules/**'] },
  chain: { include: testsOf(CHAIN) },
  rest: {
    include: ['src/**/*.test.ts', 'client/src/**/*.test.ts', 'sim/**/*.test.ts', 'demo/**/*.test.ts'],
    exclude: testsOf(CHAIN),
  },
}

/**
 * What takes longest begins first, so that no worker waits at the end for another one with a long file. Vitest knows
 * how long files take from the run before, which a clean clone lacks: there it goes by their size.
 */
const LONG = [
  'test/demo.test.ts',
  'test/browser/pages.test.ts',
  'test/lifecycle.test.ts',
  'test/ingest-faults.test.ts',
  'src/archive/archive.test.ts',
  'test/archive-notebooks.test.ts',
  'src/archive/restore/restore.test.ts',
  'src/archive/commands.test.ts',
  'test/lists.test.ts',
  'test/combo-lists.test.ts',
  'test/reconcile/reconcile.test.ts',
  'test/number-edges.test.ts',
  'test/webhooks/kills.test.ts',
  'test/rolling-restart.test.ts',
  'test/redis-processes.test.ts',
  'test/package.test.ts',
  'test/client/against-service.test.ts',
  'test/repair.test.ts',
  'test/roles.test.ts',
  'test/streams/scenario.test.ts',
  'test/sports/every-path.test.ts',
  'test/universes/compare.test.ts',
  'test/streams/resume.test.ts',
  'test/prices-crash.test.ts',
  'test/browser/fresh-service.test.ts',
  'test/build.test.ts',
  'test/replicas.test.ts',
  'test/leaderboards/scenario.test.ts',
  'test/ingest-crash.test.ts',
  'test/prices-outage.test.ts',
  'test/ingest-standby.test.ts',
  'src/chain/backfill/read-again.test.ts',
  'src/chain/follow/follower-faults.test.ts',
  'src/chain/backfill/killed.test.ts',
  'src/audit/corruptions.test.ts',
  'src/audit/audit.test.ts',
  'src/backup/backup.test.ts',
  'src/webhooks/deliver/sender.test.ts',
  'sim/universe/universe.test.ts',
  'sim/universe/rules.test.ts',
  'src/upstreams/prices/faults.test.ts',
  'src/webhooks/deliver/fairness.test.ts',
  'src/store/embedded/server.test.ts',
  'src/mcp/routes.test.ts',
  'src/crypto/markets/routes.test.ts',
]

/** Services in accelerated time, which need a machine without much else: they run when all other files have begun. */
const LAST = 'test/universes/universes.test.ts'

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const pathOf = ({ project, moduleId }: TestSpecification) => relative(project.config.root, moduleId)
    const rankOf = (file: TestSpecification) => {
      const index = LONG.indexOf(pathOf(file))
      return index === -1 ? LONG.length : index
    }
    const inOrder = Object.keys(PROJECTS).flatMap((name) =>
      sorted.filter(({ project }) => project.name === name).sort((a, b) => rankOf(a) - rankOf(b)),
    )
    const isLast = (file: TestSpecification) => pathOf(file) === LAST
    return [...inOrder.filter((file) => !isLast(file)), ...inOrder.filter(isLast)]
  }
}

export default defineConfig({
  test: {
    // Many tests wait for processes and sockets: one file more at once than there are cores keeps these busy.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongFirst },
    globalSetup: ['test/global-setup.ts'],
    // Compiled modules stay in node_modules/ from run to run, by the hash of their source.
    experimental: { fsModuleCache: true },
    projects: Object.entries(PROJECTS).map(([name, files]) => ({
      test: { name, ...files, ...SHARED },
    })),
  },
})
