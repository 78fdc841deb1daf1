import { blockOf, seqOf } from '../../core/seq.js'

import type { Sql } from '../../store/connection.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import type { IdLookup } from '../facts/fact-kind.js'
import { addReferences, type BatchFacts } from '../facts/registry.js'
import { type Reference, References } from '../ids/id-references.js'
import { byIdTable, ID_TABLES, type IdTable, type NewId, selectTokensOf } from '../ids/queries.js'
import { type StatedToken, selectFirstNamed, selectNamed, selectStatedTokens } from './id-queries.js'

/** The natural ids of one table that the blocks of a batch name, against the rows of the table. */
export type NamedIds = {
  /** The first place that names each, in the order of the chain. */
  references: ReadonlyMap<string, Reference>
  rows: ReadonlyMap<string, NewId>
  missing: Reference[]
  /** Rows that claim to be first named in these blocks or later, but not where these blocks name them first. */
  misplaced: NewId[]
  /** Rows that claim to be first named in these blocks, which do not name them. */
  unnamed: NewId[]
}

/** What the id tables have of a batch of blocks that are read again, and what is wrong with it. */
export class BatchIds implements IdLookup {
  readonly named: Record<IdTable, NamedIds>
  /** Tokens whose condition, outcome or block of the statement is wrong, as they should be. */
  readonly restated: StatedToken[] = []
  /** Tokens whose condition these blocks are said to state, and do not. */
  readonly unstated: StatedToken[] = []
  readonly #ids: Record<IdTable, Map<string, number>>
  readonly #tokensOf = new Map<number, number[]>()

  private constructor(named: Record<IdTable, NamedIds>) {
    this.named = named
    this.#ids = byIdTable((table) => {
      const { rows, missing } = named[table]
      const known = [...rows].map(([name, { id }]): [string, number] => [name, id])
      // Provisional ids, which no row can have.
      return new Map([...known, ...missing.map(({ name }, index): [string, number] => [name, -1 - index])])
    })
  }

  static async read(sql: Sql, facts: BatchFacts, range: BlockRange): Promise<BatchIds> {
    const references = byIdTable(() => new References(() => false))
    addReferences(facts, references)
    const [wallets, conditions, builders, tokens] = await Promise.all([
      readNamed(sql, 'wallets', references.wallets, range),
      readNamed(sql, 'conditions', references.conditions, range),
      readNamed(sql, 'builders', references.builders, range),
      readNamed(sql, 'tokens', references.tokens, range),
    ])
    const ids = new BatchIds({ wallets, conditions, builders, tokens })
    await ids.#readSets(sql, facts)
    if (ids.hasAllNames) await ids.#readStatements(sql, facts, range)
    return ids
  }

  get hasAllNames(): boolean {
    return ID_TABLES.every((table) => this.named[table].missing.length === 0)
  }

  get isSound(): boolean {
    return (
      this.restated.length + this.unstated.length === 0 &&
      Object.values(this.named).every(
        ({ missing, misplaced, unnamed }) => missing.length + misplaced.length + unnamed.length === 0,
      )
    )
  }

  wallet(address: string): number {
    return this.#idOf('wallets', address)
  }

  token(token: string): number {
    return this.#idOf('tokens', token)
  }

  condition(condition: string): number {
    return this.#idOf('conditions', condition)
  }

  builder(code: string): number {
    return this.#idOf('builders', code)
  }

  tokensOf(condition: number): readonly number[] {
    return this.#tokensOf.get(condition) ?? []
  }

  #idOf(table: IdTable, name: string): number {
    const id = this.#ids[table].get(name)
    if (id === undefined) throw new Error(`${name} is not named by the batch`)
    return id
  }

  async #readSets(sql: Sql, { splits }: BatchFacts): Promise<void> {
    const conditions = new Set(splits.map(({ condition }) => this.condition(condition)))
    for (const { condition, id } of await selectTokensOf(sql, [...conditions])) {
      this.#tokensOf.set(condition, [...this.tokensOf(condition), id])
    }
  }

  /** Compares what the logs state of tokens, by the rules of `IdMemory.learn`, with their rows. */
  async #readStatements(sql: Sql, { outcomes }: BatchFacts, range: BlockRange): Promise<void> {
    const stated = outcomes.map(({ seq, condition, tokens }) => ({
      block: blockOf(seq),
      condition: this.condition(condition),
      tokens: tokens.map((token) => this.token(token)),
    }))
    const rows = await selectStatedTokens(sql, {
      tokens: [...new Set(stated.flatMap(({ tokens }) => tokens))],
      conditions: [...new Set(stated.map(({ condition }) => condition))],
      ...range,
    })
    const isOlder = ({ statedIn }: StatedToken) => statedIn !== null && statedIn < range.fromBlock
    const older = rows.filter((row) => isOlder(row) && row.outcome !== null)
    const conditionsWithSet = new Set(older.map(({ condition }) => condition))
    const byId = new Map(rows.map((row) => [row.id, row]))
    const expected = new Map<number, StatedToken>()
    for (const { block, condition, tokens } of stated) {
      const isFirst = !conditionsWithSet.has(condition)
      conditionsWithSet.add(condition)
      for (const [index, id] of tokens.entries()) {
        const row = byId.get(id)
        if (row === undefined || expected.has(id)) continue
        const outcome = isOlder(row)
          ? { statedIn: row.statedIn, outcome: row.outcome === null ? null : index }
          : { statedIn: block, outcome: isFirst ? index : null }
        expected.set(id, { id, condition, ...outcome })
      }
    }
    for (const row of rows) {
      const right = expected.get(row.id)
      const isHere = !isOlder(row) && row.statedIn !== null && row.statedIn <= range.toBlock
      if (right === undefined && isHere) this.unstated.push(row)
      if (right !== undefined && !isSameStatement(row, right)) this.restated.push(right)
    }
  }
}

const isSameStatement = (a: StatedToken, b: StatedToken): boolean =>
  a.condition === b.condition && a.statedIn === b.statedIn && a.outcome === b.outcome

async function readNamed(
  sql: Sql,
  table: IdTable,
  named: References,
  { fromBlock, toBlock }: BlockRange,
): Promise<NamedIds> {
  const fromSeq = seqOf(fromBlock, 0)
  const references = new Map(named.takeAll().map((reference) => [reference.name, reference]))
  const [found, claimed] = await Promise.all([
    selectNamed(sql, table, [...references.keys()]),
    selectFirstNamed(sql, table, { fromSeq, toSeq: seqOf(toBlock + 1, 0) - 1 }),
  ])
  const rows = new Map(found.map((row) => [row.name, row]))
  return {
    references,
    rows,
    missing: [...references.values()].filter(({ name }) => !rows.has(name)),
    misplaced: found.filter(({ name, since }) => since >= fromSeq && since !== references.get(name)?.seq),
    unnamed: claimed.filter(({ name }) => !references.has(name)),
  }
}
