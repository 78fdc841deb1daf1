import { eachEntries } from '../chain/facts/entries.js'
import { idsOfEntry } from '../chain/facts/registry.js'
import { selectConditionsOf, selectTokensOf } from '../chain/ids/queries.js'
import { REORG_BLOCKS_MAX } from '../core/blocks.js'
import { blockOf, seqOf } from '../core/seq.js'
import type { Books, RowSource } from '../ledger/books.js'
import { type Entry, NONE } from '../ledger/entry.js'
import { fold } from '../ledger/fold.js'
import { type Outcomes, requestRows } from '../ledger/rows/entry-rows.js'
import { selectRows } from '../ledger/rows/queries.js'
import {
  LEDGER_TABLES,
  type LedgerRow,
  type LedgerTable,
  type LedgerTableOf,
  toIds,
  toKey,
} from '../ledger/rows/tables.js'
import { groupBy } from '../lib/group-by.js'
import type { Sql } from '../store/connection.js'
import { count, type Finding, Tally } from './finding.js'
import type { Scope } from './scope.js'

/** A row of `undo`; `image` null: there was no row before the block. */
type Image = { block: number; state: string; key: string; image: string | null }

/**
 * Takes the blocks that have a journal back in memory and books them again: the journal must have an
 * image of every row that a block changes, the one that the blocks before it give, and no others; and
 * the last block must lead to the rows that are stored.
 */
export async function checkImages(sql: Sql, scope: Scope): Promise<Finding> {
  const { block: cursor } = scope.cursor
  const [floor] = await sql<{ block: number }[]>`select block from undo_floor`
  const after = Math.max(floor?.block ?? 0, scope.ledgerFrom - 1, cursor - REORG_BLOCKS_MAX)
  const stored = await sql<Image[]>`
    select block, state, key::text, image::text
      from undo
     where block > ${after} and state <> 'tokens'
     order by block, state, key`
  const entries: Entry[] = []
  const range = { fromSeq: seqOf(after + 1, 0), toSeq: scope.toSeq }
  for await (const some of eachEntries(sql, range)) entries.push(...some)
  const books = await replay(sql, entries, stored)
  const tally = new Tally()
  compareImages(stored, books.images, tally)
  for (const rows of Object.values(books.rows)) rows.compareLast(tally)
  await checkOutcomeJournal(sql, after, tally)
  const coverage = `${count(stored.length, 'image')} of ${count(cursor - after, 'block')}`
  return tally.toFinding(sql, 'journal images', coverage)
}

async function replay(sql: Sql, entries: readonly Entry[], stored: readonly Image[]): Promise<ReplayedBooks> {
  const outcomes = await selectOutcomes(sql, entries)
  const books = new ReplayedBooks(outcomes)
  for (const entry of entries) requestRows(books.rows, outcomes, entry)
  for (const rows of Object.values(books.rows)) await rows.load(sql, stored)
  for (const entry of entries) {
    books.block = blockOf(entry.seq)
    fold(books, entry)
  }
  return books
}

/** Which tokens belong to which conditions. Tokens without a row have none: other checks find them. */
async function selectOutcomes(sql: Sql, entries: readonly Entry[]): Promise<Outcomes> {
  const named = entries.map(idsOfEntry)
  const tokens = await selectConditionsOf(sql, [...new Set(named.flatMap((ids) => ids.tokens))])
  const conditions = new Set([...named, ...tokens].flatMap(({ condition }) => condition ?? []))
  const conditionOf = new Map(tokens.map((token) => [token.id, token]))
  const sets = groupBy(await selectTokensOf(sql, [...conditions]), ({ condition }) => condition)
  return {
    isCombo: (token) => conditionOf.get(token)?.isCombo === true,
    conditionOf(token, block) {
      const { condition, statedIn } = conditionOf.get(token) ?? {}
      return condition != null && (statedIn ?? 0) <= block ? condition : NONE
    },
    tokensOf(condition, block) {
      const set = sets.get(condition)
      return set !== undefined && set[0].statedIn <= block ? set.map(({ id }) => id) : []
    },
  }
}

function compareImages(stored: readonly Image[], derived: readonly Image[], tally: Tally): void {
  const keyOf = ({ block, state, key }: Image) => `${block} ${state} ${key}`
  const open = new Map(derived.map((image) => [keyOf(image), image]))
  const add = (image: Image, what: string) => tally.add({ keys: keysOf(image), what })
  for (const image of stored) {
    const match = open.get(keyOf(image))
    open.delete(keyOf(image))
    if (match === undefined) add(image, 'is in the journal, and no fact of the block changes the row')
    else if (match.image !== image.image) {
      add(image, `is in the journal as ${image.image}, and the facts give ${match.image}`)
    }
  }
  for (const image of open.values()) add(image, 'is not in the journal, and the block changes the row')
}

/** `block 5, row of positions, wallet 0x…, token 7`. */
function keysOf({ block, state, key }: Image): Record<string, number | string> {
  const table = Object.values(LEDGER_TABLES).find(({ name }) => name === state)
  const ids = key.slice(1, -1).split(',').map(Number)
  const named = (table?.keys ?? []).map((name, index) => [name, ids[index] ?? 0] as const)
  return { block, row: `of ${state}`, ...Object.fromEntries(named) }
}

/** A token that was named before the block that states its condition needs an image of its own. */
async function checkOutcomeJournal(sql: Sql, after: number, tally: Tally): Promise<void> {
  // Which of the older tokens had an image when they were stated is not known any more.
  const rows = await sql<{ block: number; token: number; isStated: boolean }[]>`
    select coalesce(undo.block, stated_in) as block, coalesce(undo.key[1]::integer, id) as token,
           undo.block is null as is_stated
      from (select id, stated_in, since from tokens
             where stated_in > ${after} and since >> 20 < stated_in) as stated
      full join (select block, key from undo where state = 'tokens' and block > ${after}) as undo
        on undo.block = stated_in and undo.key[1] = id
     where undo.block is null and since >= ${seqOf(after + 1, 0)} or id is null
     order by 1, 2`
  for (const { block, token, isStated } of rows) {
    const what = isStated
      ? 'is not in the journal, and the block states its condition'
      : 'is in the journal, and the block does not state its condition'
    tally.add({ keys: { block, row: 'of tokens', token }, what })
  }
}

/** The rows that the entries may touch, as they were before the first of them. */
class ReplayedBooks implements Books {
  readonly images: Image[] = []
  block = 0
  readonly rows = {
    positions: new ReplayedRows(LEDGER_TABLES.positions, this),
    walletTotals: new ReplayedRows(LEDGER_TABLES.walletTotals, this),
    comboTotals: new ReplayedRows(LEDGER_TABLES.comboTotals, this),
    minuteCandles: new ReplayedRows(LEDGER_TABLES.minuteCandles, this),
    hourCandles: new ReplayedRows(LEDGER_TABLES.hourCandles, this),
    tokenTotals: new ReplayedRows(LEDGER_TABLES.tokenTotals, this),
    builderTotals: new ReplayedRows(LEDGER_TABLES.builderTotals, this),
    builderDays: new ReplayedRows(LEDGER_TABLES.builderDays, this),
    builderWallets: new ReplayedRows(LEDGER_TABLES.builderWallets, this),
    supplies: new ReplayedRows(LEDGER_TABLES.supplies, this),
    reserves: new ReplayedRows(LEDGER_TABLES.reserves, this),
    lastPrices: new ReplayedRows(LEDGER_TABLES.lastPrices, this),
  }
  readonly #outcomes: Outcomes

  constructor(outcomes: Outcomes) {
    this.#outcomes = outcomes
  }

  isCombo(token: number): boolean {
    return this.#outcomes.isCombo(token)
  }

  conditionOf(token: number): number {
    return this.#outcomes.conditionOf(token, this.block)
  }

  tokensOf(condition: number): readonly number[] {
    return this.#outcomes.tokensOf(condition, this.block)
  }

  /** The steps of profit are no part of the journal. */
  addPnl(): void {}
  refuse(): void {}
}

class ReplayedRows<Row extends LedgerRow> implements RowSource<Row> {
  readonly #table: LedgerTableOf<Row>
  readonly #journal: { readonly images: Image[]; readonly block: number }
  readonly #wanted = new Set<number>()
  readonly #rows = new Map<number, Row>()
  /** The rows that are stored now, as text. */
  readonly #last = new Map<number, string>()
  readonly #imagedIn = new Map<number, number>()

  constructor(table: LedgerTableOf<Row>, journal: { readonly images: Image[]; readonly block: number }) {
    this.#table = table
    this.#journal = journal
  }

  request(first: number, second = 0): void {
    this.#wanted.add(toKey(this.#table, first, second))
  }

  /** Loads the stored rows, and replaces those of which there are images by the earliest image. */
  async load(sql: Sql, images: readonly Image[]): Promise<void> {
    const table = this.#table
    const keys = [...this.#wanted].map((key) => toIds(table, key))
    if (keys.length === 0) return
    for (const row of await selectRows<Row>(sql, table, keys)) {
      const key = this.#keyOf(row)
      this.#last.set(key, textOf(table, row))
      this.#rows.set(key, Object.assign(table.make(...toIds(table, key)), row))
    }
    for (const { state, key: text, image } of images.toReversed()) {
      if (state !== table.name) continue
      const [first = 0, second = 0] = text.slice(1, -1).split(',').map(Number)
      const key = toKey(table, first, second)
      if (image === null) this.#rows.delete(key)
      else this.#rows.set(key, fromImage(table, first, second, image))
    }
  }

  open(first: number, second = 0): Row {
    const { images, block } = this.#journal
    const table = this.#table
    const key = toKey(table, first, second)
    const known = this.#rows.get(key)
    if (this.#imagedIn.get(key) !== block) {
      this.#imagedIn.set(key, block)
      const ids = table.keys.length === 1 ? `{${first}}` : `{${first},${second}}`
      const image = known === undefined ? null : textOf(table, known)
      images.push({ block, state: table.name, key: ids, image })
    }
    const row = known ?? table.make(first, second)
    this.#rows.set(key, row)
    return row
  }

  /** Compares the rows after the last block with the stored ones. */
  compareLast(tally: Tally): void {
    const table = this.#table
    for (const [key, block] of this.#imagedIn) {
      const row = this.#rows.get(key)
      const [first, second] = toIds(table, key)
      const derived = row === undefined ? 'no row' : textOf(table, row)
      const stored = this.#last.get(key) ?? 'no row'
      if (stored === derived) continue
      const ids = table.keys.length === 1 ? `{${first}}` : `{${first},${second}}`
      const image = { block, state: table.name, key: ids, image: null }
      const what = `is stored as ${stored}, and journal and facts lead to ${derived}`
      tally.add({ keys: keysOf(image), what })
    }
  }

  #keyOf(row: Row): number {
    const [first, second] = this.#table.columns.slice(0, 2).map(({ field }) => Number(row[field]))
    return toKey(this.#table, first ?? 0, this.#table.keys.length === 1 ? 0 : (second ?? 0))
  }
}

const textOf = ({ columns, keys }: LedgerTable, row: LedgerRow): string =>
  `{${columns
    .slice(keys.length)
    .map(({ field }) => row[field])
    .join()}}`

function fromImage<Row extends LedgerRow>(
  table: LedgerTableOf<Row>,
  first: number,
  second: number,
  image: string,
): Row {
  const row: LedgerRow = table.make(first, second)
  const values = image.slice(1, -1).split(',')
  for (const [index, { field }] of table.columns.slice(table.keys.length).entries()) {
    const value = values[index] ?? '0'
    row[field] = typeof row[field] === 'bigint' ? BigInt(value) : Number(value)
  }
  return row as Row
}
