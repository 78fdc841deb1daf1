import type { RawLog } from './log.js'

const RANGE_BLOCKS_MAX = 10_000
const TOO_MANY_RESULTS = -32005

type Answer<Result> = { result: Result; error?: { code: number; message: string } }
type PlacedLog = RawLog & { logIndex: string }

/** All logs from a block to the head, range by range. Ranges get smaller when a node wants it so. */
export async function* readHistory(url: string, firstBlock: number): AsyncGenerator<RawLog[]> {
  const head = Number((await ask<string>(url, 'eth_blockNumber')).result)
  let blocks = RANGE_BLOCKS_MAX
  for (let from = firstBlock; from <= head; ) {
    const to = Math.min(head, from + blocks - 1)
    const range = { fromBlock: toHex(from), toBlock: toHex(to) }
    const { result, error } = await ask<PlacedLog[]>(url, 'eth_getLogs', range)
    if (error !== undefined) {
      if (error.code !== TOO_MANY_RESULTS || blocks === 1) throw new Error(error.message)
      blocks = Math.ceil(blocks / 2)
      continue
    }
    checkPlaces(result)
    yield result
    from = to + 1
  }
}

async function ask<Result>(url: string, method: string, ...params: unknown[]) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const reply = await fetch(url, { method: 'POST', body })
  return (await reply.json()) as Answer<Result>
}

/** Blocks ascend, and in each the logs count up from zero: none is missing and none is there twice. */
function checkPlaces(logs: readonly PlacedLog[]): void {
  let block = 0
  let next = 0
  for (const { blockNumber, logIndex } of logs) {
    const number = Number(blockNumber)
    if (number !== block) next = 0
    if (number < block || Number(logIndex) !== next) throw new Error(`a gap in block ${number}`)
    block = number
    next += 1
  }
}

const toHex = (value: number): string => `0x${value.toString(16)}`
