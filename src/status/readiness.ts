import type { Context } from '../context.js'
import type { ChainStatus } from './board.js'

/** Behind by more than this there is nothing fresh to serve: the node, or whoever books, is not there yet. */
const AGE_SEC_MAX = 60

/** `ok`, or what is wrong, for each part that runs. */
export function readiness({ store, status, clock }: Context): Record<string, string> {
  const checks: Record<string, string> = { store: store.problem ?? 'ok' }
  if (status.chain === undefined) return checks
  const ageSec = Math.floor(clock.now() / 1000) - status.latestBlockSec
  return { ...checks, chain: checkChain(status.chain, status.latestBlock, ageSec) }
}

function checkChain(
  { phase, nodeBlock, problem }: ChainStatus,
  block: number,
  ageSec: number,
): string {
  if (problem !== undefined) return problem
  if (phase === 'live' || phase === 'standby') {
    if (block === 0) return 'nothing is booked yet'
    return ageSec <= AGE_SEC_MAX ? 'ok' : `the last block is ${ageSec} seconds old`
  }
  return `catching up: block ${block} of ${nodeBlock ?? '?'}`
}
