import type { Entry } from '../../ledger/entry.js'

/** The tokens and conditions that entries name. */
export function idsOf(entries: readonly Entry[]): { tokens: Set<number>; conditions: Set<number> } {
  const tokens = new Set<number>()
  const conditions = new Set<number>()
  for (const entry of entries) {
    for (const token of tokensIn(entry)) tokens.add(token)
    if (entry.kind === 'split' || entry.kind === 'redemption') conditions.add(entry.condition)
  }
  return { tokens, conditions }
}

function tokensIn(entry: Entry): readonly number[] {
  switch (entry.kind) {
    case 'fill':
    case 'transfer':
    case 'supply':
      return [entry.token]
    case 'split':
    case 'redemption':
      return entry.tokens
    case 'conversion':
      return [...entry.given, ...entry.taken]
    case 'migration':
      return [entry.fromToken, entry.toToken]
  }
}
