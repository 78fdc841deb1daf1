import type { Universe } from '../../../sim/universe/universe.js'
import type { Lie, RpcAnswer } from './test-follow.js'

export type RawLog = {
  address: string
  topics: string[]
  data: string
  blockNumber: string
  logIndex: string
  removed: boolean
}

/** A node that returns other logs than its blocks have. */
export function changeLogs(change: (logs: RawLog[]) => RawLog[]): Lie {
  return ({ method }, answer) =>
    method === 'eth_getLogs' && answer.result !== undefined
      ? { result: change(answer.result as RawLog[]) }
      : answer
}

/** A node that has no block above that one. */
export function showOnlyUpTo({ chain }: Universe, block: number): Lie {
  return ({ method, params }, answer): RpcAnswer => {
    if (method !== 'eth_getBlockByNumber') return answer
    const [at] = params
    if (at !== 'latest') return Number(at) > block ? { result: null } : answer
    const shown = chain.block(block)
    if (shown === undefined) return answer
    const header = {
      ...(answer.result as object),
      number: `0x${block.toString(16)}`,
      hash: chain.hashOf(shown),
      parentHash: chain.parentHashOf(shown),
    }
    return { result: header }
  }
}

/** A node that has no block below that one, and says so in one of the ways that nodes do. */
export function showOnlyFrom(block: number, says: RpcAnswer = { result: null }): Lie {
  return ({ method, params: [at] }, answer): RpcAnswer => {
    if (method === 'eth_getBlockByNumber') {
      return at !== 'latest' && Number(at) < block ? says : answer
    }
    if (method !== 'eth_getLogs') return answer
    const { fromBlock } = at as { fromBlock?: string }
    if (fromBlock === undefined || Number(fromBlock) >= block) return answer
    return says.error === undefined ? { result: [] } : says
  }
}
