import { type Entry, ZERO_WALLET } from '../../ledger/entry.js'

/** What an entry does to the balance of a wallet; 0 where it only names the wallet and the token. */
export type BalanceMove = { wallet: number; token: number; amount: bigint }

/** The same changes of balances as the ledger books (src/ledger/fold.ts). */
export function movesOf(entry: Entry): BalanceMove[] {
  switch (entry.kind) {
    case 'fill': {
      const { wallet, exchange, token, shares, fee } = entry
      const received = entry.isFeeInShares ? shares - fee : shares
      return between(wallet, exchange, token, entry.isBuy ? received : -shares)
    }
    case 'split': {
      const change = entry.isMerge ? -entry.amount : entry.amount
      return entry.tokens.flatMap((token) => ofSet(entry, token, change))
    }
    case 'redemption':
      return entry.tokens.flatMap((token, leg) => ofSet(entry, token, -(entry.amounts[leg] ?? 0n)))
    case 'transfer':
      return between(entry.to, entry.from, entry.token, entry.amount)
    case 'conversion':
      return named(entry.wallet, [...entry.given, ...entry.taken])
    case 'migration':
      return named(entry.wallet, [entry.fromToken, entry.toToken])
    case 'supply':
      return []
  }
}

const between = (to: number, from: number, token: number, amount: bigint): BalanceMove[] => [
  { wallet: to, token, amount },
  { wallet: from, token, amount: -amount },
]

/** Only the log of the token contract moves tokens. */
const ofSet = (
  { wallet, isCore }: { wallet: number; isCore: boolean },
  token: number,
  change: bigint,
): BalanceMove[] => (isCore ? between(wallet, ZERO_WALLET, token, change) : named(wallet, [token]))

/** Transfers of the same transaction move these tokens. */
const named = (wallet: number, tokens: readonly number[]): BalanceMove[] =>
  tokens.map((token) => ({ wallet, token, amount: 0n }))
