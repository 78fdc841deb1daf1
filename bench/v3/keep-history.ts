import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildReadIndexes } from '../../src/chain/write/read-indexes.js'
import { createPool } from '../../src/store/connection.js'
import { BenchServer, type KeptDatabase } from '../lib/bench-server.js'
import { buildHistory, fingerprintOf } from './build-history.js'

/** Histories of many fills. They take minutes to build, so they stay until their builder changes. */
export const HISTORIES_DIR = process.env.AUSPEX_BENCH_DIR ?? join(tmpdir(), 'auspex-bench-v3')

export const openHistories = (): Promise<BenchServer> => BenchServer.startKept(HISTORIES_DIR)

/** With indexes that were added since it was built. */
export async function keepHistory(
  server: BenchServer,
  { fills, partitions }: { fills: number; partitions: number },
  onStep: (text: string) => void,
): Promise<KeptDatabase> {
  const size = { fills, partitions, endSec: Math.floor(Date.now() / 1000) }
  const stale = `v3_${fills}_`
  const target = await server.keepDatabase(`${stale}${fingerprintOf(size)}`, stale, (pool) =>
    buildHistory(pool, size, onStep),
  )
  const pool = createPool(target, 1)
  await buildReadIndexes(pool)
  await pool.end()
  return target
}
