import type { Entry } from '../../ledger/entry.js'
import type { Sql } from '../../store/connection.js'
import type { IdReferences } from '../ids/id-references.js'
import type { IdTable } from '../ids/queries.js'

/**
 * Everything there is to know about one kind of fact. A kind has its own file in this folder, and a
 * line in `registry.ts`, the list over which all that handle facts iterate: the id registry, the writer, the
 * partitions, the ledger entries, the removal of reorganised blocks and the audit.
 */
export type FactKind<Fact extends ChainFact> = {
  /** `undefined`: the kind has no rows of its own. */
  rows?: FactRows<Fact>
  /**
   * Adds the natural ids that the fact names. New ids are numbered in the order of `seq`, then
   * of `ordinal`. The kind has ORDINALS_PER_KIND ordinals, from `ordinal` on; `index` is that of the fact
   * in its list.
   */
  addReferences?(fact: Fact, references: IdReferences, ordinal: number, index: number): void
  /** `undefined`: the ledger books nothing of it. */
  entries?: FactEntries<Fact, Entry>
}

/** The log that a fact comes from. */
export type FactOrigin = { seq: number; txHash: string }
export type TimedOrigin = FactOrigin & { timeSec: number }

/** Where a fact is on the chain: at a `seq`, or in a block as a whole. */
export type ChainFact = { seq: number } | { block: number }

/** The table of a kind. */
export type FactRows<Fact> = {
  table: string
  /** In the order of `toLine`. The first one is where the fact is on the chain: `seq`, or a block number. */
  columns: readonly string[]
  /** The table is partitioned by `seq`; each partition has these indexes: name to definition. */
  partitionIndexes?: PartitionIndexes
  /** Later batches of the same transaction select these rows, so each batch sends them at once. */
  isSelectedInTransaction?: boolean
  /**
   * One row in the text format of COPY, with its line end; empty: no row. One template for a row is
   * faster than a loop over columns. `undefined`: the rows are not written by COPY.
   */
  toLine?(fact: Fact, ids: IdLookup): string
}

/** Indexes of a partition by their names: what each is on, and which rows it has, if not all. */
export type PartitionIndexes = Readonly<Record<string, { on: string; where?: string }>>

/** An index on each of these columns and `seq`. */
export const indexesOn = (...columns: string[]): PartitionIndexes =>
  Object.fromEntries(columns.map((column) => [column, { on: `(${column}, seq)` }]))

/** The columns that hold ids, or lists of ids: a name means the same in every table of facts. */
export const ID_COLUMNS: Readonly<Record<string, IdTable>> = {
  wallet: 'wallets',
  taker: 'wallets',
  exchange: 'wallets',
  from_wallet: 'wallets',
  to_wallet: 'wallets',
  asset: 'wallets',
  ramp: 'wallets',
  oracle: 'wallets',
  owner: 'wallets',
  contract: 'wallets',
  actor: 'wallets',
  proposer: 'wallets',
  token: 'tokens',
  from_token: 'tokens',
  to_token: 'tokens',
  tokens: 'tokens',
  given: 'tokens',
  taken: 'tokens',
  condition: 'conditions',
  builder: 'builders',
}

/** How facts of a kind become ledger entries, from memory and from their rows. */
export type FactEntries<Fact, OneEntry extends Entry> = {
  kind: OneEntry['kind']
  /** The ids of the batch are resolved. Ascending by `seq`. */
  toEntries(facts: readonly Fact[], context: EntryContext): OneEntry[] | Promise<OneEntry[]>
  /** Ascending by `seq`, without times (`UNTIMED`): these are in the table of blocks. */
  select(sql: Sql, query: EntryQuery): Promise<OneEntry[]>
  /** Everything whose state the entry may change. */
  idsOf(entry: OneEntry): EntryIds
  /** SQL expression: each token that a row names. */
  tokensSql: string
}

export type EntryIds = {
  wallets: readonly number[]
  tokens: readonly number[]
  condition?: number
}

/** What entries need beside their own facts. */
export type EntryContext = {
  tx: Sql
  ids: IdLookup
  batch: {
    blocks: readonly { number: number; timeSec: number }[]
    resolutions: readonly { seq: number; condition: string; payouts: readonly bigint[] }[]
  }
}

/** Which rows are selected, both ends of `seq` included, and at most how many. */
export type EntryQuery = {
  fromSeq: number
  toSeq: number
  /** Only rows of these wallets; `undefined`: all rows. */
  wallets: readonly number[] | undefined
  limit: number
}

/** Integer ids of what a resolved batch names by its natural id. Unknown ids throw. */
export type IdLookup = {
  wallet(address: string): number
  token(token: string): number
  condition(condition: string): number
  builder(code: string): number
  /** Tokens of a condition by outcome; empty until a fact states them. */
  tokensOf(condition: number): readonly number[]
}

/** How many ordinals of one `seq` belong to a kind. */
export const ORDINALS_PER_KIND = 2 ** 20

/** `timeSec` of an entry whose block was not looked up yet. */
export const UNTIMED = 0

/** Array of numbers in the text format of COPY. */
export const copyNumberList = (values: readonly (number | bigint)[]): string => `{${values.join()}}`

export const copyTokens = (ids: IdLookup, tokens: readonly string[]): string =>
  copyNumberList(idsOfTokens(ids, tokens))

export const idsOfTokens = (ids: IdLookup, tokens: readonly string[]): number[] =>
  tokens.map((token) => ids.token(token))

/** Condition of a select on a table with the columns `seq` and `wallet`. */
export const isQueried = (sql: Sql, { fromSeq, toSeq, wallets }: EntryQuery) => sql`
  seq between ${fromSeq} and ${toSeq}
  ${wallets === undefined ? sql`` : sql`and wallet = any(${wallets}::integer[])`}`
