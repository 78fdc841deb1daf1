import { expect } from 'vitest'
import { selectTokenPrices } from '../src/catalogue/token-prices.js'
import { toDecimal } from '../src/core/money.js'
import { unrealizedOf } from '../src/lookups/position.js'
import type { Pool } from '../src/store/connection.js'
import type { ApiWorld } from './api-world.js'

/** A position as the ledger has it, with the price of its token. */
export type Held = {
  wallet: number
  token: number
  isCombo: number
  balance: bigint
  held: bigint
  cost: bigint
  realized: bigint
  bought: bigint
  boughtCost: bigint
  unrealized: bigint
}

/** A realized step, with the time of its block. */
export type Step = { wallet: number; token: number; amount: bigint; seq: number; timeSec: number }

/** A token with what the catalogue says of it. */
type Listed = {
  token: number
  condition: string
  slug: string
  eventSlug: string
  tags: string[]
}

export const UNKNOWN_WALLET = `0x${'9'.repeat(40)}`

export type WalletModel = Awaited<ReturnType<typeof readWalletModel>>

/** Positions and realized steps of all wallets, row by row, for tests that add them up themselves. */
export async function readWalletModel({ ctx: { sql } }: ApiWorld) {
  const wallets = await sql<{ id: number; address: string }[]>`
    select id, '0x' || encode(address, 'hex') as address from wallets where id > 0`
  const addresses = new Map(wallets.map(({ id, address }) => [id, address]))
  const positions = await readPositions(sql)
  const combos = new Set(positions.filter(({ isCombo }) => isCombo === 1).map(({ token }) => token))
  const steps = await sql<Step[]>`
    select p.wallet, p.token, p.amount, p.seq::float8, b.time as time_sec
      from pnl p join blocks b on b.number = p.seq >> 20 order by p.seq, p.sub`
  const ofMarkets = steps.filter(({ token }) => !combos.has(token))
  const byWallet = groupOf(ofMarkets, ({ wallet }) => wallet)
  return {
    addresses,
    positions,
    /** Without those of combos, in order. */
    steps: ofMarkets,
    listed: await readListed(sql),
    /** Wallets with the most steps first. */
    busy: [...byWallet].sort(([, a], [, b]) => b.length - a.length).map(([wallet]) => wallet),
    addressOf: (wallet: number): string => addresses.get(wallet) ?? expect.fail(),
  }
}

async function readPositions(sql: Pool): Promise<Held[]> {
  const rows = await sql<Held[]>`
    select wallet, token, is_combo, balance, held, cost, realized, bought, bought_cost from positions
     where wallet > 0`
  const prices = await selectTokenPrices(sql, [...new Set(rows.map(({ token }) => token))])
  return rows.map((row) => {
    return { ...row, unrealized: unrealizedOf(row, prices.get(row.token) ?? expect.fail()) }
  })
}

async function readListed(sql: Pool): Promise<Map<number, Listed>> {
  const rows = await sql<Listed[]>`
    select t.id as token, '0x' || encode(m.condition, 'hex') as condition, m.slug,
           e.slug as event_slug,
           array(select g.label from event_tags et join tags g on g.id = et.tag
                  where et.event = e.id order by et.place) as tags
      from tokens t
      join market_tokens mt on mt.token = t.token
      join markets m on m.id = mt.market
      join events e on e.id = m.event`
  return new Map(rows.map((row) => [row.token, row]))
}

export function groupOf<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

export const sumOf = (numbers: readonly bigint[]): bigint => numbers.reduce((all, one) => all + one, 0n)

/** The totals of these positions, one by one. */
export function expectedTotals(held: readonly Held[]) {
  const shown = held.filter(({ bought, balance }) => bought > 0n || balance > 0n)
  const totals = shown.map(({ realized, unrealized }) => realized + unrealized)
  return {
    net_realized_pnl: toDecimal(sumOf(shown.map(({ realized }) => realized))),
    gross_profit: toDecimal(sumOf(totals.filter((total) => total > 0n))),
    gross_loss: toDecimal(sumOf(totals.filter((total) => total < 0n))),
    unrealized_pnl: toDecimal(sumOf(shown.map(({ unrealized }) => unrealized))),
    total_pnl: toDecimal(sumOf(totals)),
    wins: totals.filter((total) => total > 0n).length,
    losses: totals.filter((total) => total < 0n).length,
    position_count: shown.length,
    open_positions: shown.filter(({ balance }) => balance > 0n).length,
    total_volume: toDecimal(sumOf(shown.map(({ bought }) => bought))),
  }
}

export function expectedRealized(own: readonly Step[]) {
  const amounts = own.map(({ amount }) => amount)
  return {
    realized_pnl: toDecimal(sumOf(amounts)),
    gross_profit: toDecimal(sumOf(amounts.filter((amount) => amount > 0n))),
    gross_loss: toDecimal(sumOf(amounts.filter((amount) => amount < 0n))),
    wins: amounts.filter((amount) => amount > 0n).length,
    losses: amounts.filter((amount) => amount < 0n).length,
    events: amounts.length,
  }
}
