import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, openApiWorld } from './api-world.js'

type Trade = {
  id: string
  token_id: string
  direction: string
  size: number
  amount_usd: number
  fee: number
  side: number | null
  timestamp: string
  transaction_hash: string
}
type Act = {
  event_type: string
  id: string
  timestamp: string
  ref_id: string
  amount: string
  extra: string | null
}
type Cond = { position_ids: string[]; payout_numerators: number[] }
type Pos = { held: bigint; cost: bigint; realized: bigint }

let world: ApiWorld
beforeAll(async () => {
  world = await openApiWorld()
})
afterAll(() => world.close())

const micro = (value: number): bigint => BigInt(Math.round(value * 1e6))

async function readAll<Row>(path: string, name: string, query: object): Promise<Row[]> {
  const rows: Row[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = (await world.get(path, { ...query, limit: 300, cursor })).json()
    rows.push(...page[name])
    cursor = page.next_cursor
  }
  return rows
}

const conditions = new Map<string, Cond>()
async function readCondition(id: string): Promise<Cond> {
  const known = conditions.get(id)
  if (known !== undefined) return known
  const read = (await world.get(`/v3/conditions/${id}`)).json() as Cond
  conditions.set(id, read)
  return read
}

/**
 * Realized profit by the rules of docs/ledger.md, from answers of the API alone. `undefined`: they do not
 * say enough, because the wallet has a conversion, a fee in shares, or shares that moved otherwise.
 */
async function fold(address: string): Promise<bigint | undefined> {
  const path = `/v3/wallets/${address}`
  const trades = await readAll<Trade>(`${path}/trades`, 'trades', { side: 'maker', order: 'asc' })
  const acts = await readAll<Act>(`${path}/activity`, 'data', { order: 'asc' })
  if (trades.some((t) => t.side === null && t.fee > 0 && t.direction === 'BUY')) return undefined
  if (acts.some((a) => a.event_type === 'nrc')) return undefined
  const logOf = (id: string) => Number(id.split('_').at(-1))
  const all = [
    ...trades.map((trade) => ({
      at: Number(trade.timestamp),
      log: logOf(trade.id),
      trade,
      act: undefined,
    })),
    ...acts.map((act) => ({
      at: Number(act.timestamp),
      log: logOf(act.id),
      trade: undefined,
      act,
    })),
  ].sort((a, b) => a.at - b.at || a.log - b.log)
  const book = new Map<string, Pos>()
  const open = (token: string): Pos => {
    const pos = book.get(token) ?? { held: 0n, cost: 0n, realized: 0n }
    book.set(token, pos)
    return pos
  }
  const buy = (token: string, shares: bigint, usd: bigint) => {
    const pos = open(token)
    if (shares > 0n) {
      pos.held += shares
      pos.cost += usd
    }
  }
  const sell = (token: string, shares: bigint, usd: bigint) => {
    const pos = open(token)
    const sold = shares < pos.held ? shares : pos.held
    if (sold === 0n) return
    const cost = (pos.cost * sold) / pos.held
    pos.realized += (usd * sold) / shares - cost
    pos.held -= sold
    pos.cost -= cost
  }
  for (const { trade, act } of all) {
    if (trade !== undefined) {
      const trader = trade.direction === 'BUY' ? buy : sell
      trader(trade.token_id, micro(trade.size), micro(trade.amount_usd))
      continue
    }
    const { position_ids: tokens, payout_numerators: payouts } = await readCondition(act.ref_id)
    const amount = BigInt(act.amount)
    if (act.event_type !== 'redemption') {
      const half = amount / 2n
      const step = act.event_type === 'split' ? buy : sell
      step(tokens[0] ?? '', amount, amount - half)
      step(tokens[1] ?? '', amount, half)
      continue
    }
    const total = BigInt(payouts.reduce((sum, payout) => sum + payout, 0))
    if (total === 0n) return undefined
    for (const [index, token] of tokens.entries()) {
      const { held } = open(token)
      if (act.extra?.includes(`${index + 1}`)) sell(token, held, (held * BigInt(payouts[index] ?? 0)) / total)
    }
  }
  const shown = await readAll<{ token_id: string; size: number }>(`${path}/positions`, 'positions', {})
  const sizes = new Map(shown.map((row) => [row.token_id, micro(row.size)]))
  for (const [token, { held }] of book) if ((sizes.get(token) ?? 0n) !== held) return undefined
  return [...book.values()].reduce((sum, { realized }) => sum + realized, 0n)
}

test('realized P&L follows from the trades and the activity that the API lists', async () => {
  const wallets = [...new Set(world.fills.map(({ maker }) => maker))]
  let same = 0
  const wrong: unknown[] = []
  for (const address of wallets.slice(0, 400)) {
    const realized = await fold(address)
    if (realized === undefined) continue
    const { net_realized_pnl: shown } = (await world.get(`/v3/wallets/${address}`)).json()
    if (micro(shown) === realized) same++
    else wrong.push([address, shown, realized])
  }
  expect(wrong).toEqual([])
  expect(same).toBeGreaterThanOrEqual(200)
}, 300_000)
