import { blockOf, LOGS_PER_BLOCK, seqOf } from '../../core/seq.js'
import type { SupplyEntry } from '../../ledger/entry.js'
import { type FactKind, UNTIMED } from './fact-kind.js'

/** Outcome tokens made and destroyed in a block, from the transfer logs alone: the check on all the rest. */
export type SupplyFact = { block: number; token: string; minted: bigint; burned: bigint }

export const BLOCK_SUPPLIES: FactKind<SupplyFact> = {
  rows: {
    table: 'supply_changes',
    columns: ['block', 'token', 'minted', 'burned'],
    toLine: ({ block, token, minted, burned }, ids) =>
      `${block}\t${ids.token(token)}\t${minted}\t${burned}\n`,
  },
  addReferences({ block, token }, ids, ordinal, index) {
    ids.tokens.add(token, supplySeq(block), ordinal + index)
  },
  entries: {
    kind: 'supply',
    /** Within a block in the order of the tokens' ids, as the table has them. */
    toEntries(supplies, { ids, batch }) {
      const times = new Map(batch.blocks.map(({ number, timeSec }) => [number, timeSec]))
      const entries = supplies.map(({ block, token, minted, burned }): SupplyEntry => {
        const timeSec = times.get(block)
        if (timeSec === undefined) throw new Error(`the batch has no block ${block}`)
        const seq = supplySeq(block)
        return { kind: 'supply', seq, timeSec, token: ids.token(token), minted, burned }
      })
      return entries.sort((a, b) => a.seq - b.seq || a.token - b.token)
    },
    /** No supply belongs to a wallet. */
    async select(sql, { fromSeq, toSeq, wallets, limit }) {
      if (wallets !== undefined) return []
      const rows = await sql<{ block: number; token: number; minted: bigint; burned: bigint }[]>`
        select block, token, minted, burned
          from supply_changes
         where block >= ${blockOf(fromSeq)}::bigint
           and block < ${blockOf(toSeq + 1)}::bigint
         order by block, token
         limit ${limit}`
      return rows.map(({ block, ...row }) => ({
        kind: 'supply',
        seq: supplySeq(block),
        timeSec: UNTIMED,
        ...row,
      }))
    },
    idsOf: ({ token }: SupplyEntry) => ({ wallets: [], tokens: [token] }),
    tokensSql: 'token',
  },
}

/** The last `seq` of the block: a fact about a whole block comes after the facts of all its logs. */
const supplySeq = (block: number): number => seqOf(block, LOGS_PER_BLOCK - 1)
