import type { Books } from './books.js'
import { INTERMEDIARIES, NEG_RISK_ADAPTER, RESERVES, USDCE, ZERO } from './contracts.js'

export type TransactionKind = 'match' | 'gift' | 'other'

/**
 * At the end of a transaction every transfer is accounted for. Mints, burns and reserves move exactly
 * as the events say, and so do the wallets of a match. In other transactions the events may name an
 * intermediary in place of the one wallet that it acts for; since nothing stays with intermediaries,
 * that wallet gets what is left.
 */
export function checkSettlement(books: Books, kind: TransactionKind): void {
  const { made, open } = books.moves
  const traders = new Set<string>()
  const payers = new Set<string>()
  const addWallet = (asset: string, party: string) => {
    if (party !== ZERO && !INTERMEDIARIES.has(party) && !RESERVES.has(party)) {
      ;(asset === USDCE ? payers : traders).add(party)
    }
  }
  made.forEach((asset, party, amount) => {
    addWallet(asset, party)
    if (INTERMEDIARIES.has(party)) books.report(`${party} is left with ${amount} of ${asset}`)
  })
  open.forEach((asset, party, amount) => {
    addWallet(asset, party)
    if (kind === 'match' ? !INTERMEDIARIES.has(party) : isExact(party)) {
      books.report(`nothing accounts for ${amount} of ${asset} at ${party}`)
    }
  })
  const tradersMax = kind === 'gift' ? 2 : 1
  if (kind !== 'match' && (traders.size > tradersMax || payers.size > 1)) {
    books.report(`what ${[...traders, ...payers].join()} did is one act of several`)
  }
}

/** Books the moves. Only USDC.e may come from where we cannot see. */
export function bookBalances(books: Books): void {
  books.moves.made.forEach((asset, party, amount) => {
    books.balances.add(asset, party, amount)
    if (party === ZERO || (asset === USDCE && !RESERVES.has(party))) return
    const balance = books.balances.get(asset, party)
    if (balance < 0n) books.report(`${party} has ${balance} of ${asset}`)
  })
}

/** The neg-risk adapter logs all that it does, so even in passing nothing may be unaccounted for. */
function isExact(party: string): boolean {
  return party === ZERO || party === NEG_RISK_ADAPTER || RESERVES.has(party)
}
