import type { Pool } from '../../src/store/connection.js'

const DAY_SEC = 86_400

/** All markets, a category or a tag. */
export type ModelScope = { kind: 'all' | 'category' | 'tag'; value: string }

/** A wallet on a board. Amounts are whole millionths. */
export type ModelRow = ReturnType<typeof emptyRow>

const emptyRow = (id: number) => ({
  id,
  wins: 0,
  losses: 0,
  positions: 0,
  open: 0,
  realized: 0n,
  unrealized: 0n,
  profit: 0n,
  loss: 0n,
  gained: 0n,
  lost: 0n,
  bought: 0n,
})

type PnlEvent = { wallet: number; token: number; amount: bigint; timeSec: number }

type Holding = {
  wallet: number
  token: number
  balance: bigint
  held: bigint
  cost: bigint
  realized: bigint
  bought: bigint
  /** The price of the token. */
  numerator: bigint
  denominator: bigint
}

/** The boards of a kind by the name of their scope, and the wallets on each by id. */
type Boards = Map<string, Map<number, ModelRow>>

export type BoardModel = Awaited<ReturnType<typeof readBoardModel>>

export const nameOfScope = ({ kind, value }: ModelScope): string => `${kind} ${value}`

/**
 * All boards as the rows of P&L events, positions and catalogue make them at this moment, added up one by
 * one: what the leaderboards have to be, by other means than theirs.
 */
export async function readBoardModel(sql: Pool) {
  const [head] = await sql<{ timeSec: number }[]>`select block_time as time_sec from chain_state`
  const asOfSec = head?.timeSec ?? 0
  const addresses = await readAddresses(sql)
  const scopesOf = await readScopes(sql)
  const events = await readEvents(sql)
  const holdings = await readHoldings(sql)
  const add = (boards: Boards, { wallet, token }: PnlEvent | Holding, to: (row: ModelRow) => void) =>
    addToBoards(boards, scopesOf(token), wallet, to)

  const rolling = (days: number): Boards => {
    const boards: Boards = new Map()
    for (const event of events) {
      const { amount, timeSec } = event
      if (timeSec <= asOfSec - days * DAY_SEC || timeSec > asOfSec || amount === 0n) continue
      add(boards, event, (row) => addEvent(row, amount))
    }
    return boards
  }
  const allTime = (): Boards => {
    const boards: Boards = new Map()
    for (const holding of holdings) add(boards, holding, (row) => addHolding(row, holding))
    return boards
  }
  return {
    asOfSec,
    boards: new Map([
      ['all', allTime()],
      ['1d', rolling(1)],
      ['7d', rolling(7)],
      ['30d', rolling(30)],
    ]),
    addressOf: (id: number): string => addresses.get(id) ?? `wallet ${id}`,
  }
}

function addToBoards(
  boards: Boards,
  scopes: readonly string[],
  wallet: number,
  to: (row: ModelRow) => void,
): void {
  for (const scope of scopes) {
    const board = boards.get(scope) ?? new Map<number, ModelRow>()
    boards.set(scope, board)
    const row = board.get(wallet) ?? emptyRow(wallet)
    board.set(wallet, row)
    to(row)
  }
}

function addEvent(row: ModelRow, amount: bigint): void {
  row.realized += amount
  if (amount > 0n) {
    row.wins++
    row.profit += amount
  } else {
    row.losses++
    row.loss += amount
  }
}

function addHolding(row: ModelRow, holding: Holding): void {
  const { balance, held, cost, realized, bought, numerator, denominator } = holding
  // bigint division is toward zero, as the ledger's is.
  const unrealized = balance > 0n ? (held * numerator - cost * denominator) / denominator : 0n
  const total = realized + unrealized
  row.positions++
  row.open += balance > 0n ? 1 : 0
  row.realized += realized
  row.unrealized += unrealized
  row.bought += bought
  row.wins += total > 0n ? 1 : 0
  row.losses += total < 0n ? 1 : 0
  row.profit += total > 0n ? total : 0n
  row.loss += total < 0n ? total : 0n
  row.gained += realized > 0n ? realized : 0n
  row.lost += realized < 0n ? realized : 0n
}

async function readAddresses(sql: Pool): Promise<Map<number, string>> {
  const rows = await sql<{ id: number; address: Buffer }[]>`select id, address from wallets`
  return new Map(rows.map(({ id, address }) => [id, `0x${address.toString('hex')}`]))
}

/** The names of the scopes of a token. */
async function readScopes(sql: Pool): Promise<(token: number) => readonly string[]> {
  const tagged = await sql<{ token: number; slug: string; place: number }[]>`
    select t.id as token, g.slug, et.place
      from tokens t
      join market_tokens mt on mt.token = t.token
      join markets m on m.id = mt.market
      join event_tags et on et.event = m.event
      join tags g on g.id = et.tag`
  const scopes = new Map<number, Set<string>>()
  for (const { token, slug, place } of tagged) {
    const names = scopes.get(token) ?? new Set()
    scopes.set(token, names)
    names.add(nameOfScope({ kind: 'tag', value: slug }))
    if (place === 0) names.add(nameOfScope({ kind: 'category', value: slug }))
  }
  const everywhere = nameOfScope({ kind: 'all', value: '' })
  return (token) => [everywhere, ...(scopes.get(token) ?? [])]
}

/** Steps of positions that are no combos. */
const readEvents = (sql: Pool) => sql<PnlEvent[]>`
  select e.wallet, e.token, e.amount, b.time as time_sec
    from pnl e
    join blocks b on b.number = e.seq / 1048576
    join positions p on p.wallet = e.wallet and p.token = e.token
   where p.is_combo = 0`

/** Positions that are no combos, of which something was ever bought or is held. */
const readHoldings = (sql: Pool) => sql<Holding[]>`
  select p.wallet, p.token, p.balance, p.held, p.cost, p.realized, p.bought,
         price.numerator::bigint, price.denominator::bigint
    from positions p
    join token_prices price on price.token = p.token
   where p.is_combo = 0 and (p.bought > 0 or p.balance > 0)`
