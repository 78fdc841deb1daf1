import { randomFrom } from '../../../test/random.js'
import { isCombo } from '../../core/structured-id.js'
import { address, BLOCK, makeFill, word } from '../../events/test-facts.js'
import { hexToBytes } from '../../lib/hex.js'
import type { Pool, Sql } from '../../store/connection.js'
import { TestFacts } from '../../webhooks/match/test-facts.js'

const DAY_SEC = 86_400
const WALLETS = 9
const MARKETS = 6
const EVENTS = 4

/** Two of them share a slug, one has none, and one is like another but for its case. */
const TAGS = [
  { id: 1, slug: 'sports', label: 'Sports' },
  { id: 2, slug: 'sports', label: 'All Sports' },
  { id: 3, slug: 'Sports', label: 'SPORTS' },
  { id: 4, slug: null, label: 'No Slug' },
  { id: 5, slug: 'crypto', label: 'Crypto' },
]

const COMBO = `0x03${'ab'.repeat(16)}0002${'0'.repeat(26)}`
const tokenOf = (market: number, outcome: number): string => word(`e${market}${outcome}`)
const TOKENS = [
  ...Array.from({ length: MARKETS }, (_, at) => [tokenOf(at + 1, 0), tokenOf(at + 1, 1)]).flat(),
  // The catalogue has none of these.
  word('f1'),
  COMBO,
]

const FLAGS = {
  first_seen: new Date(0),
  active: true,
  closed: false,
  archived: false,
  neg_risk: false,
}

/** Pauses between blocks, in seconds: windows of a day, a week and a month pass now and then. */
const PAUSES = [0, 2, 2, 2, 2, 2, 600, 20_000, 40_000, DAY_SEC - 1, DAY_SEC, 5 * DAY_SEC, 12 * DAY_SEC]

/** A chain and a catalogue that change at random, the same way for the same seed. */
export class BoardWorld {
  readonly facts: TestFacts
  readonly random: (bound: number) => number
  #timeSec = BLOCK.timeSec
  #markets = 0

  private constructor(facts: TestFacts, seed: number) {
    this.facts = facts
    this.random = randomFrom(seed)
  }

  static async open(seed: number): Promise<BoardWorld> {
    const world = new BoardWorld(await TestFacts.open(), seed)
    const { sql } = world
    await sql`insert into tags ${sql(TAGS)}`
    for (let id = 1; id <= EVENTS; id++) {
      await sql`insert into events ${sql({ ...FLAGS, id, slug: `event-${id}` })}`
      await world.tagEvent()
    }
    for (let id = 1; id <= MARKETS / 2; id++) await world.addMarket()
    return world
  }

  get sql(): Pool {
    return this.facts.sql
  }

  /** A block with some fills: wallets buy, and sell at once or later. Prices are few: some sales earn nothing. */
  async addBlock(): Promise<void> {
    this.#timeSec += this.#pick(PAUSES)
    const trades = Array.from({ length: this.random(5) }, () => {
      const trader = { wallet: this.#wallet(), token: this.#pick(TOKENS), isTaker: true }
      const sides = this.#pick([['BUY'], ['SELL'], ['BUY', 'SELL'], ['BUY', 'SELL']] as const)
      return sides.map((side) => {
        const shares = BigInt(1 + this.random(3)) * 1_000_000n
        const usd = (shares * BigInt(3 + this.random(3))) / 10n
        return { ...trader, side, shares, usd }
      })
    })
    await this.facts.append(
      (positionOf) => ({
        fills: trades.flat().map((fill, at) => makeFill(at, { ...fill, ...positionOf(at) })),
      }),
      this.#timeSec,
    )
  }

  /** Reverts up to five blocks; the next one may have an earlier time than those had. */
  async rewind(): Promise<void> {
    const toBlock = Math.max(BLOCK.number, this.facts.head - this.random(5))
    await this.facts.revertTo(toBlock)
    const [state] = await this.sql<{ blockTime: number }[]>`select block_time from chain_state`
    this.#timeSec = state?.blockTime ?? this.#timeSec
  }

  async changeCatalogue(): Promise<void> {
    const { sql } = this
    const acts = [
      () => this.tagEvent(),
      () => this.addMarket(),
      () => sql`update markets set event = ${this.#event()} where id = ${1 + this.random(MARKETS)}`,
      () => sql`update tags set slug = ${`new-${this.random(3)}`} where id = ${1 + this.random(5)}`,
    ]
    await this.#pick(acts)()
  }

  async tagEvent(): Promise<void> {
    const { sql } = this
    const event = this.#event()
    const tags = TAGS.map(({ id }) => id).filter(() => this.random(2) === 0)
    await sql`delete from event_tags where event = ${event} and tag <> all(${tags}::integer[])`
    for (const [index, tag] of tags.entries()) {
      await sql`
        insert into event_tags values (${event}, ${tag}, ${index})
        on conflict (event, tag) do update set place = excluded.place`
    }
  }

  /** The catalogue learns of the next market, whose tokens may have been traded for long. */
  async addMarket(): Promise<void> {
    if (this.#markets === MARKETS) return
    const { sql } = this
    const id = ++this.#markets
    const tokens = [tokenOf(id, 0), tokenOf(id, 1)]
    await sql`
      insert into markets ${sql({
        ...FLAGS,
        id,
        event: this.#event(),
        slug: `market-${id}`,
        outcomes: ['Yes', 'No'],
        accepting_orders: true,
        enable_order_book: true,
        tokens: `{${tokens.map((token) => `"\\\\x${token.slice(2)}"`)}}`,
      })}`
    await sql`
      insert into market_tokens ${sql(
        tokens.map((token, outcome) => ({ token: hexToBytes(token), market: id, outcome })),
      )}`
  }

  #event = (): number => 1 + this.random(EVENTS)

  /** Now and then a new one, whose id a reorganisation may give to another. */
  #wallet = (): string =>
    this.random(4) === 0 ? address(`d${this.random(1e9)}`) : address(`a${1 + this.random(WALLETS)}`)

  #pick<Item>(items: readonly Item[]): Item {
    const item = items[this.random(items.length)]
    if (item === undefined) throw new Error('there is nothing to pick')
    return item
  }
}

type Sums = { wins: number; losses: number; realized: bigint; profit: bigint; loss: bigint }

/** What the boards of the last days have to be, summed up from the rows of `pnl`, one after the other. */
export async function expectedRolling(sql: Sql) {
  const scopes = await scopesOfTokens(sql)
  const [state] = await sql<{ asOf: number }[]>`select block_time as as_of from chain_state`
  const rows = await sql<{ wallet: number; token: number; amount: bigint; time: number }[]>`
    select p.wallet, p.token, p.amount, b.time from pnl p join blocks b on b.number = p.seq >> 20`
  const boards = new Map<string, Sums>()
  for (const days of [1, 7, 30]) {
    for (const { wallet, token, amount, time } of rows) {
      if (amount === 0n || time <= (state?.asOf ?? 0) - days * DAY_SEC) continue
      for (const scope of scopes.get(token) ?? []) {
        const key = `${days} ${scope} ${wallet}`
        const sums = boards.get(key) ?? { wins: 0, losses: 0, realized: 0n, profit: 0n, loss: 0n }
        sums.realized += amount
        if (amount > 0n) {
          sums.wins++
          sums.profit += amount
        } else {
          sums.losses++
          sums.loss += amount
        }
        boards.set(key, sums)
      }
    }
  }
  const wallets = new Map<string, number>()
  for (const key of boards.keys()) {
    const board = key.slice(0, key.lastIndexOf(' '))
    wallets.set(board, (wallets.get(board) ?? 0) + 1)
  }
  return {
    boards: [...boards].map(([key, sums]) => `${key}: ${Object.values(sums).join(' ')}`).sort(),
    wallets: [...wallets].map(([board, count]) => `${board}: ${count}`).sort(),
  }
}

/** By the ids of tokens. */
async function scopesOfTokens(sql: Sql): Promise<Map<number, Set<string>>> {
  const rows = await sql<{ id: number; token: string; tags: (string | null)[]; first: string }[]>`
    select t.id, '0x' || encode(t.token, 'hex') as token,
           array_agg(coalesce(g.slug, lower(replace(g.label, ' ', '-')))) as tags,
           min(coalesce(g.slug, lower(replace(g.label, ' ', '-')))) filter (where et.place = 0)
             as first
      from tokens t
      left join market_tokens mt on mt.token = t.token
      left join markets m on m.id = mt.market
      left join event_tags et on et.event = m.event
      left join tags g on g.id = et.tag
     group by t.id, t.token`
  return new Map(
    rows.map(({ id, token, tags, first }) => {
      if (isCombo(token)) return [id, new Set()]
      const scopes = tags.flatMap((tag) => (tag === null ? [] : `tag/${tag}`))
      if (first !== null) scopes.push(`category/${first}`)
      return [id, new Set(['all/', ...scopes])]
    }),
  )
}

/** The boards of the last days as they are stored, in the same form. */
export async function storedRolling(sql: Sql) {
  const boards = await sql<{ line: string }[]>`
    select concat_ws(' ', b.days, s.kind || '/' || s.value, b.wallet) || ': ' ||
           concat_ws(' ', b.wins, b.losses, b.realized, b.profit, b.loss) as line
      from rolling_boards b join board_scopes s on s.id = b.scope`
  const wallets = await sql<{ line: string }[]>`
    select concat_ws(' ', r.days, s.kind || '/' || s.value) || ': ' || r.wallets as line
      from rolling_scopes r join board_scopes s on s.id = r.scope`
  return {
    boards: boards.map(({ line }) => line).sort(),
    wallets: wallets.map(({ line }) => line).sort(),
  }
}
