import { walletEntries } from '../chain/facts/entries.js'
import { blockOf } from '../core/seq.js'
import type { Entry } from '../ledger/entry.js'
import { fold } from '../ledger/fold.js'
import { MemoryBooks } from '../ledger/memory-books.js'
import type { Sql } from '../store/connection.js'
import type { Scope } from './scope.js'
import { selectToldSets, type ToldSet } from './told-sets.js'

/** What the stored facts of some wallets add up to. */
type DerivedBooks = {
  books: MemoryBooks
  /** Wallets of which the facts alone do not tell what the ledger did. */
  unsure: ReadonlySet<number>
}

export async function deriveBooks(
  sql: Sql,
  { ledgerFrom, fromSeq, toSeq, refusedSeqs }: Scope,
  wallets: readonly number[],
): Promise<DerivedBooks> {
  const books = new MemoryBooks()
  const unsure = new Set<number>()
  const refused = new Set(refusedSeqs)
  for await (const entries of walletEntries(sql, wallets, { fromSeq, toSeq })) {
    const sets = await selectSets(sql, entries)
    for (const entry of entries) {
      const set = entry.kind === 'redemption' ? sets.get(entry.condition) : undefined
      if (set !== undefined && blockOf(entry.seq) >= set.told) {
        books.addOutcomes(set.condition, set.tokens)
      }
      if (refused.has(entry.seq) || (set !== undefined && isDoubtful(entry, set, ledgerFrom))) {
        for (const wallet of walletsOf(entry)) unsure.add(wallet)
      } else fold(books, entry)
    }
  }
  return { books, unsure }
}

/** Of the conditions that are redeemed: nothing else of a wallet depends on what a token belongs to. */
async function selectSets(
  sql: Sql,
  entries: readonly Entry[],
): Promise<ReadonlyMap<number, ToldSet>> {
  const conditions = new Set<number>()
  for (const entry of entries) if (entry.kind === 'redemption') conditions.add(entry.condition)
  const sets = conditions.size === 0 ? [] : await selectToldSets(sql, conditions)
  return new Map(sets.map((set) => [set.condition, set]))
}

/**
 * Facts that are older than the ledger, and were read later, have told of the tokens: when the ledger
 * itself learned of them is not known any more. Only several tokens share a payout by their outcomes,
 * and only a third outcome forbids a cost.
 */
const isDoubtful = (entry: Entry, { told, tokens }: ToldSet, ledgerFrom: number): boolean =>
  told < ledgerFrom &&
  entry.kind === 'redemption' &&
  entry.isUser &&
  (entry.tokens.length > 1 || tokens.length > 2)

function walletsOf(entry: Entry): readonly number[] {
  switch (entry.kind) {
    case 'transfer':
      return [entry.from, entry.to]
    case 'supply':
      return []
    default:
      return [entry.wallet]
  }
}
