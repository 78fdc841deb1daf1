import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { readDays, readTableManifest, tableManifestPath } from '../src/archive/manifest.js'
import { restoreArchive } from '../src/archive/restore/restore-archive.js'
import { runArchive } from '../src/archive/run-archive.js'
import { createFolderStore } from '../src/archive/store/folder-store.js'
import { createPool } from '../src/store/connection.js'
import type { Bench, Rounds } from './lib/bench.js'
import { BenchServer } from './lib/bench-server.js'
import { NO_UPSTREAMS } from './lib/no-upstreams.js'
import { nextMessage, startPart } from './lib/parts.js'
import { startAuspex } from './lib/processes.js'
import { tidy, tidyLater } from './lib/tidy.js'

/** From noon on, so that more than this crosses midnight and one day is final. */
const LOGS = Number(process.env.BENCH_LOGS ?? 320_000)
const INTENSITY = 3.3
const SAMPLE_MS = 100
const CALLS_PER_SECOND = 1_000
const CONNECTIONS = 3
const MB = 1e6

type Node = { url: string; first: number; last: number; logs: number }

export const archive: Bench = {
  name: 'archive',
  promise:
    'a database is restored from its archive, against the service that reads the same blocks from a node',
  ratioMin: 1.5,
  unit: 'fills/s',
  async prepare() {
    const part = startPart('catch-up/recorded-node', [String(LOGS), String(INTENSITY)])
    const { port, ...recorded } = await nextMessage<Omit<Node, 'url'> & { port: number }>(part)
    const node = { ...recorded, url: `http://127.0.0.1:${port}` }
    return { run: (onRound) => run(node, onRound), close: tidy }
  },
}

async function run(node: Node, onRound: (text: string) => void): Promise<Rounds> {
  const { signal } = new AbortController()
  const { target, seconds: readSeconds } = await readNode(node, onRound)
  const pool = createPool(target, CONNECTIONS)
  tidyLater(() => pool.end({ timeout: 1 }))
  const fills = await countFills(pool)

  onRound('archiving')
  const folder = mkdtempSync(join(tmpdir(), 'auspex-bench-archive-'))
  tidyLater(async () => rmSync(folder, { recursive: true, force: true }))
  const store = createFolderStore(folder)
  const archivedAt = performance.now()
  const { bytes, rows } = await runArchive({ pool, store, dataset: 'polymarket' }, signal)
  const archiveSeconds = (performance.now() - archivedAt) / 1000
  const archived = await sumOfFills(store)

  onRound('restoring')
  const server = await BenchServer.start()
  const restored = await server.createDatabase('restored', CONNECTIONS)
  const restoredAt = performance.now()
  await restoreArchive({ pool: restored, store }, signal)
  const restoreSeconds = (performance.now() - restoredAt) / 1000

  return {
    ours: [archived.fills / restoreSeconds],
    yardstick: [fills / readSeconds],
    figures: {
      fills: archived.fills,
      rows,
      archive: `${(bytes / MB).toFixed(1)} MB`,
      'archive per second': `${(bytes / MB / archiveSeconds).toFixed(1)} MB, ${Math.round(rows / archiveSeconds).toLocaleString('en-US')} rows`,
      'bytes per fill': `${(archived.bytes / archived.fills).toFixed(1)} in the table of fills, ${(bytes / archived.fills).toFixed(0)} with everything`,
      seconds: `${readSeconds.toFixed(1)} to read the node, ${archiveSeconds.toFixed(1)} to archive, ${restoreSeconds.toFixed(1)} to restore`,
    },
  }
}

async function readNode(node: Node, onRound: (text: string) => void) {
  const env = {
    ...NO_UPSTREAMS,
    AUSPEX_POLYGON_URL: node.url,
    AUSPEX_POLYGON_CALLS_PER_SECOND: String(CALLS_PER_SECOND),
    AUSPEX_FROM_BLOCK: String(node.first),
  }
  const startedAt = performance.now()
  const service = await startAuspex({ isPinned: false, env })
  tidyLater(service.stop)
  for (let booked = 0; booked < node.last; ) {
    await wait(SAMPLE_MS)
    const [row] = await service.pool<
      { block: number | null }[]
    >`select block::float8 as block from chain_state`
    booked = row?.block ?? 0
    onRound(`reading the node: ${Math.max(0, booked - node.first)} of ${node.last - node.first} blocks`)
  }
  return { target: service.target, seconds: (performance.now() - startedAt) / 1000 }
}

async function countFills(pool: ReturnType<typeof createPool>): Promise<number> {
  const [row] = await pool<{ fills: number }[]>`select count(*)::float8 as fills from fills`
  return row?.fills ?? 0
}

async function sumOfFills(store: ReturnType<typeof createFolderStore>) {
  const sum = { fills: 0, bytes: 0 }
  for (const { day } of await readDays(store)) {
    const manifest = await readTableManifest(store, tableManifestPath('fills', day))
    sum.fills += manifest?.rows ?? 0
    sum.bytes += manifest?.bytes ?? 0
  }
  return sum
}
