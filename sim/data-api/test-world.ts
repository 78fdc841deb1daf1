import { Faults } from '../server/faults.js'
import { type Host, openHost } from '../server/host.js'
import { Universe } from '../universe/universe.js'
import type { Wallet } from '../universe/wallet.js'
import { createDataApiHost } from './host.js'

export const START_MS = Date.UTC(2026, 10, 12)

/** A universe with a few hours of everything, and the Data API over it. */
export type TestWorld = {
  universe: Universe
  host: Host
  get<Body = Row[]>(path: string): Promise<Body>
  /** The status and the message of a refusal. */
  refusal(path: string): Promise<{ status: number; error: unknown }>
}

type Texts =
  | 'asset'
  | 'builderCode'
  | 'condition_id'
  | 'conditionId'
  | 'dt'
  | 'eventSlug'
  | 'market'
  | 'proxy_wallet'
  | 'proxyWallet'
  | 'side'
  | 'status'
  | 'title'
  | 'token'
  | 'token_id'
  | 'transaction_hash'
  | 'transactionHash'
  | 'type'
type Numbers =
  | 'amount'
  | 'biggest_win'
  | 'cashPnl'
  | 'current_size'
  | 'position_pnl'
  | 'currentValue'
  | 'curPrice'
  | 'initialValue'
  | 'pnl'
  | 'price'
  | 'realized_pnl'
  | 'realizedPnl'
  | 'size'
  | 'timestamp'
  | 'total'
  | 'totalBought'
  | 'unrealized_pnl'
  | 'usdc_size'
  | 'usdcSize'
  | 'value'
  | 'vol'
  | 'volume'
type Flags = 'is_combo' | 'mergeable' | 'redeemable'
type Lists = 'holders' | 'markets' | 'positions'

/** Of any kind, with the fields that tests calculate with. */
export type Row = { [field: string]: unknown } & { [Name in Texts]: string } & {
  [Name in Numbers]: number
} & { [Name in Flags]: boolean } & { [Name in Lists]: Row[] } & { outcomeIndex: 0 | 1 }

export async function openTestWorld(hours = 4, intensity = 4): Promise<TestWorld> {
  const universe = new Universe({ seed: 21, startMs: START_MS, intensity })
  universe.advance(START_MS + hours * 3_600_000)
  const host = await openHost('data_api', new Faults(), createDataApiHost(universe))
  return {
    universe,
    host,
    async get<Body>(path: string) {
      const reply = await fetch(`${host.url}${path}`)
      if (reply.status !== 200) throw new Error(`${reply.status} ${await reply.text()}`)
      return (await reply.json()) as Body
    },
    async refusal(path) {
      const reply = await fetch(`${host.url}${path}`)
      return { status: reply.status, error: ((await reply.json()) as Row).error }
    },
  }
}

/** Of the wallets that did such things, the one that did most. */
export function busiest(universe: Universe, ...kinds: string[]): Wallet {
  const counts = universe.wallets.map((wallet) => {
    const acts = universe.settledActs.ofWallet(wallet)
    return { wallet, count: acts.filter(({ tx }) => kinds.includes(tx.act.kind)).length }
  })
  const [most] = counts.sort((a, b) => b.count - a.count)
  if (most === undefined || most.count === 0) throw new Error('no wallet did that')
  return most.wallet
}

/** The row at that index, which must exist. */
export function rowAt(rows: readonly Row[], index: number): Row {
  const row = rows.at(index)
  if (row === undefined) throw new Error(`no row ${index}`)
  return row
}
