import type { Act } from '../../sim/universe/acts.js'
import type { Universe } from '../../sim/universe/universe.js'
import { type ApiWorld, openApiWorld } from '../../test/api-world.js'

/** An act of the simulated chain and where it stands. */
export type DoneAct = { act: Act; hash: string; block: number; timeSec: number }

/** What wallets did, the newest first. */
export function readDoneActs({ chain }: Universe): DoneAct[] {
  const done: DoneAct[] = []
  for (let block = chain.firstNumber; chain.block(block) !== undefined; block++) {
    const { transactions = [], timestampSec: timeSec = 0 } = chain.block(block) ?? {}
    for (const { act, hash } of transactions) done.unshift({ act, hash, block, timeSec })
  }
  return done
}

/** The wallets that did something of these kinds, the last active first. */
export const actorsOf = (done: readonly DoneAct[], kinds: readonly Act['kind'][]): string[] => [
  ...new Set(
    done.flatMap(({ act }) => (kinds.includes(act.kind) && 'wallet' in act ? [act.wallet.address] : [])),
  ),
]

export const isActOf =
  (address: string) =>
  ({ act }: DoneAct): boolean =>
    'wallet' in act && act.wallet.address === address

/** What a redemption pays by the numerators: each outcome is rounded down. */
export const paidBy = (amounts: readonly number[], payouts: readonly [number, number]): number =>
  amounts.reduce(
    (sum, amount, outcome) =>
      sum + Math.floor((amount * (payouts[outcome] ?? 0)) / (payouts[0] + payouts[1])),
    0,
  )

/** The wallet to which the world below gives what all wallets did. */
export const BUSY_WALLET = `0x${'7'.repeat(40)}`

/** No wallet does enough in an hour for several pages. */
export async function openBusyWorld(): Promise<ApiWorld> {
  const busy = await openApiWorld()
  const { sql } = busy.ctx
  await sql`insert into wallets values (-1, decode(${BUSY_WALLET.slice(2)}, 'hex'), 0)`
  await sql`update splits set wallet = -1 where flags & 4 <> 0`
  await sql`update splits set flags = flags | 1 where wallet = -1 and seq % 3 = 0`
  await sql`update redemptions set wallet = -1 where flags & 4 <> 0`
  await sql`update conversions set wallet = -1`
  await sql`update flows set to_wallet = -1 where kind = 0`
  await sql`update flows set from_wallet = -1, kind = 1 where kind = 0 and seq % 3 = 0`
  return busy
}
