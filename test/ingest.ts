import { onTestFinished, vi } from 'vitest'
import { audit } from '../src/audit/audit.js'
import { EVERYTHING } from '../src/audit/scope.js'
import { type FollowWorld, followInto } from '../src/chain/follow/test-follow.js'
import { type BlockListener, BlockWriter } from '../src/chain/write/block-writer.js'
import { createPool } from '../src/store/connection.js'
import { createTestDatabase, type TestDatabase } from './database.js'
import { hashTables } from './table-hashes.js'

type IngestOptions = NonNullable<Parameters<typeof followInto>[2]> & {
  listeners?: readonly BlockListener[]
}

/** Books the chain of the world into the database, as a rule from its first block on, until the test ends. */
export async function ingest(
  world: FollowWorld,
  { target }: TestDatabase,
  { listeners = [], ...changes }: IngestOptions = {},
) {
  const pool = createPool(target, 2)
  onTestFinished(() => pool.end({ timeout: 1 }))
  const line = await BlockWriter.open({ pool, listeners })
  const startBlock = world.universe.chain.firstNumber
  return followInto(world, line, { startBlock, ...changes })
}

/** What a database holds that nothing ever disturbed, of the chain as it is now. */
export async function hashUndisturbed(
  world: FollowWorld,
  changes: IngestOptions = {},
): Promise<Record<string, string>> {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const { arrive, stop } = await ingest(world, database, changes)
  await arrive()
  await stop()
  return await hashTables(database.sql)
}

/** Until the database ends where the chain does. */
export function untilBooked(world: FollowWorld, { sql }: TestDatabase): Promise<void> {
  const { chain } = world.universe
  const check = async () => {
    const [row] = await sql<{ hash: string | null }[]>`
      select '0x' || encode(block_hash, 'hex') as hash from chain_state`
    if (row?.hash !== chain.hashOf(chain.head)) throw new Error('the chain is not booked yet')
  }
  return vi.waitFor(check, { timeout: 60_000, interval: 10 })
}

/** Everything that the audit of all wallets and all tables objects to, but for some of its checks. */
export async function auditAll({ sql }: TestDatabase, omitted: readonly string[] = []): Promise<string[]> {
  const findings = await audit(sql, { wallets: { kind: 'all' }, span: EVERYTHING })
  return findings
    .filter(({ check, differences }) => differences > 0 && !omitted.includes(check))
    .map(({ check, examples }) => `${check}: ${examples.join('; ')}`)
}
