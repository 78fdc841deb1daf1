import type { Market } from './market.js'
import { hash32 } from './random.js'
import { PROPOSAL_LEAD_MS } from './topic-event.js'

const DISPUTE_SHARE = 0.05
const DISPUTE_DELAY_MS = 20 * 60_000

/** When an answer is proposed. Some are doubted at first: then there is one that is disputed before it. */
export type OracleLife = {
  proposedMs: number
  disputed: { proposedMs: number; disputedMs: number } | undefined
}

/** `undefined` for windows of coins, whose results come from the price feed without a proposal. */
export function oracleLife(seed: number, market: Market): OracleLife | undefined {
  if (market.event.window !== undefined) return undefined
  const proposedMs = market.resolvesMs - PROPOSAL_LEAD_MS
  const isDisputed = hash32(seed, Number(market.id), 141) / 4294967296 < DISPUTE_SHARE
  const disputed = isDisputed
    ? { proposedMs: proposedMs - DISPUTE_DELAY_MS, disputedMs: proposedMs - DISPUTE_DELAY_MS / 2 }
    : undefined
  return { proposedMs, disputed }
}
