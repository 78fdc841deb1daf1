import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { insertReorg } from '../../chain/write/state.js'
import { seqOf } from '../../core/seq.js'
import { fold } from '../../ledger/fold.js'
import { LedgerStore } from '../../ledger/rows/ledger-store.js'
import { makeBlocks, OUTCOMES, type TestBlock } from '../../ledger/rows/test-random-blocks.js'
import { revertLedger } from '../../ledger/rows/undo-journal.js'

const FIRST_BLOCK = 1_000
const HISTORIES = 4
const BLOCKS = 200
const WALLETS = 26
const TOKENS = 16
/** Markets that a token of either fork may be of; each has an event of its own. */
const MARKETS = TOKENS * 2
const TAGS = 6

/**
 * A ledger whose blocks come from one of several histories, and may be reverted. A token that is reverted
 * comes again, with its id, as a token of another market.
 */
export class TestLedger {
  readonly database: TestDatabase
  readonly #store = new LedgerStore(OUTCOMES, { positionsMax: 8 })
  readonly #histories: TestBlock[][]
  /** How many blocks are booked. */
  height = 0
  #fork = 0

  private constructor(database: TestDatabase, seed: number) {
    this.database = database
    this.#histories = Array.from({ length: HISTORIES }, (_, index) =>
      makeBlocks(seed + index, FIRST_BLOCK, BLOCKS),
    )
  }

  static async open(seed: number): Promise<TestLedger> {
    const database = await createTestDatabase()
    const { sql } = database
    await sql.unsafe(`
      create table pnl_of_all_time partition of pnl default;
      insert into wallets select n, decode(lpad(to_hex(n), 40, '0'), 'hex'), 0
        from generate_series(1, ${WALLETS}) n;
      insert into tags select n, 'tag-' || n % ${TAGS - 1}, 'Tag ' || n from generate_series(1, ${TAGS}) n;
      insert into event_tags select e, 1 + (e + k * k) % ${TAGS}, k
        from generate_series(1, ${MARKETS}) e, generate_series(0, 2) k where e % 7 > 0
          on conflict do nothing;
      insert into markets (id, event, first_seen, active, closed, archived, neg_risk, accepting_orders,
                           enable_order_book, outcomes, tokens)
      select m, m, '2026-01-01', true, false, false, false, true, true, '{Yes,No}', array[${token('m')}]
        from generate_series(1, ${MARKETS}) m;
      insert into market_tokens select tokens[1], id, 0 from markets`)
    return new TestLedger(database, seed)
  }

  get head(): number {
    return FIRST_BLOCK + this.height - 1
  }

  async book(): Promise<void> {
    const block = this.#histories[this.#fork % HISTORIES]?.[this.height]
    if (block === undefined) throw new Error('the history is over')
    const { number, entries } = block
    await this.database.sql.begin(async (tx) => {
      await this.#store.load(tx, entries)
      this.#store.startBlock(number, true)
      for (const entry of entries) fold(this.#store, entry)
      await this.#store.write(tx)
      await tx`
        insert into tokens (id, condition, stated_in, outcome, since, token)
        select distinct p.token, case when p.token < 15 then (p.token + 1) / 2 end, ${number}::integer,
               (p.token + 1) % 2, ${seqOf(number, 0)}::bigint,
               ${tx.unsafe(token(`p.token + ${TOKENS * (this.#fork % 2)}`))}
          from positions p
         where not exists (select from tokens t where t.id = p.token)`
      const time = FIRST_BLOCK + this.height * 400
      await tx`insert into blocks values (${number}, ${time}, '')`
      await tx`update chain_state set ledger_from = ${FIRST_BLOCK}, block = ${number}, block_time = ${time}`
    })
    this.height++
  }

  async rewind(depth: number): Promise<void> {
    const left = Math.max(1, this.height - depth)
    if (left >= this.height) return
    this.height = left
    this.#fork++
    const after = seqOf(this.head + 1, 0)
    await this.database.sql.begin(async (tx) => {
      await tx`delete from tokens where since >= ${after}`
      await tx`delete from resolutions where seq >= ${after}`
      await revertLedger(tx, this.head, await insertReorg(tx, this.head))
      await tx`delete from blocks where number > ${this.head}`
      await tx`update chain_state set block = number, block_time = time from blocks where number = ${this.head}`
    })
    this.#store.forget()
  }

  /** In the last block: of the conditions whose tokens are known. */
  async resolve(condition: number): Promise<void> {
    await this.database.sql`
      insert into resolutions values
        (${seqOf(this.head, 1_000 + condition)}, ${condition}, ${condition % 3 === 0 ? [1, 1] : [0, 1]}::numeric[], '')
      on conflict do nothing`
  }

  async setMid(market: number, mid: number | null): Promise<void> {
    await this.database.sql`
      insert into token_mids select tokens[1], ${mid}, '2026-01-01' from markets where id = ${1 + (market % MARKETS)}
          on conflict (token) do update set mid = excluded.mid`
  }

  /** The event gets these tags, some of which may be the same. */
  async retag(event: number, tags: readonly number[]): Promise<void> {
    const id = 1 + (event % MARKETS)
    await this.database.sql`delete from event_tags where event = ${id}`
    await this.database.sql`
      insert into event_tags
      select ${id}::integer, tag, row_number() over (order by tag * ${event + 1}::integer % 7) - 1
        from (select distinct 1 + n % ${TAGS}::integer as tag from unnest(${[...tags]}::integer[]) n) given`
  }
}

/** Of a combo the first byte is 3. */
const token = (id: string): string =>
  `decode(case (${id}) % ${TOKENS} when 5 then '03' when 6 then '03' else '00' end || lpad(to_hex(${id}), 62, '0'), 'hex')`
