import { Faults } from '../server/faults.js'
import { openHost } from '../server/host.js'
import type { Block } from '../universe/block.js'
import { Universe } from '../universe/universe.js'
import type { NodeLimits } from './encoded-blocks.js'
import { createPolygonHost } from './host.js'

const START_MS = Date.UTC(2026, 10, 14, 12)
const HISTORY_MS = 15 * 60_000

export type TestNode = Awaited<ReturnType<typeof openTestNode>>

/** A node over a short history, for tests. */
export async function openTestNode(limits?: NodeLimits) {
  const universe = new Universe({ seed: 7, startMs: START_MS })
  universe.advance(START_MS + HISTORY_MS)
  const faults = new Faults()
  const host = await openHost('polygon', faults, createPolygonHost(universe, faults, limits))

  const post = async (body: unknown) => {
    const reply = await fetch(host.url, { method: 'POST', body: JSON.stringify(body) })
    return JSON.parse(await reply.text())
  }
  const rpc = async (method: string, ...params: unknown[]) => {
    const { result, error } = await post({ jsonrpc: '2.0', id: 1, method, params })
    return error ?? result
  }
  /** The newest block with at least `transactionsMin` transactions. */
  const findBlock = (transactionsMin: number): Block => {
    for (let number = universe.chain.head.number; number > 0; number -= 1) {
      const block = universe.chain.block(number)
      if (block === undefined) break
      if (block.transactions.length >= transactionsMin) return block
    }
    throw new Error(`no block has ${transactionsMin} transactions`)
  }
  return { universe, faults, host, post, rpc, findBlock, close: () => host.close() }
}

export const hex = (value: number): string => `0x${value.toString(16)}`
