import type { Market } from './market.js'
import { unit } from './random.js'
import { PROPOSAL_LEAD_MS } from './topic-event.js'

const DISPUTE_SHARE = 0.05
/** Where between the end and the answer that counts the disputed one and its dispute lie. */
const DISPUTED_AT = { proposed: 0.3, disputed: 0.7 }

/** When an answer is proposed. Some are doubted at first: then there is one that is disputed before it. */
export type OracleLife = {
  proposedMs: number
  disputed: { proposedMs: number; disputedMs: number } | undefined
}

/** `undefined` for windows of coins, whose results come from the price feed without a proposal. */
export function oracleLife(seed: number, market: Market): OracleLife | undefined {
  if (market.event.window !== undefined) return undefined
  const proposedMs = market.resolvesMs - PROPOSAL_LEAD_MS
  if (unit(seed, Number(market.id), 141) >= DISPUTE_SHARE) {
    return { proposedMs, disputed: undefined }
  }
  const at = (share: number) => market.endMs + Math.floor((proposedMs - market.endMs) * share)
  const disputed = { proposedMs: at(DISPUTED_AT.proposed), disputedMs: at(DISPUTED_AT.disputed) }
  return { proposedMs, disputed }
}
