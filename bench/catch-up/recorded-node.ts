import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { EncodedBlocks } from '../../sim/polygon/encoded-blocks.js'
import { quantity } from '../../sim/polygon/hex.js'
import { Universe } from '../../sim/universe/universe.js'
import { CHAIN_ID } from '../../src/core/blocks.js'
import { KNOWN_TOPICS, WATCHED } from '../../src/upstreams/polygon/filter.js'

// A node that has written down its answers before it is asked, so that what is measured is the client and not
// the node. It records this many logs of a simulated world, prints its port and its last block, and answers.

const LOGS = Number(process.argv[2])
const INTENSITY = Number(process.argv[3])
const START_MS = Date.UTC(2026, 10, 14, 12)
const STEP_MS = 10_000

/** `logs`: the watched ones, as the items of a JSON array. */
type RecordedBlock = { hash: string; header: string; logs: Buffer }

const ADDRESSES = new Set(WATCHED.address)
const TOPICS = new Set(KNOWN_TOPICS)
const COMMA = Buffer.from(',')

const { first, blocks, logs } = record()
const byHash = new Map([...blocks].map((block, index) => [block.hash, first + index]))
const last = first + blocks.length - 1

const server = createServer(async (request, response) => {
  const asked = JSON.parse(await text(request)) as Asked | Asked[]
  response.setHeader('content-type', 'application/json')
  if (Array.isArray(asked)) answerAll(response, asked)
  else response.end(Buffer.concat(answer(asked)))
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.send?.({ port, first, last, logs })
})
process.on('disconnect', () => process.exit())

type Asked = { id: number; method: string; params: [LogFilter | string, unknown?] }
type LogFilter = { fromBlock: string; toBlock: string } | { blockHash: string }

function answerAll(response: ServerResponse, asked: readonly Asked[]): void {
  const parts = asked.flatMap((each, index) => [...(index === 0 ? [] : [COMMA]), ...answer(each)])
  response.end(Buffer.concat([Buffer.from('['), ...parts, Buffer.from(']')]))
}

function answer({ id, method, params }: Asked): Buffer[] {
  const result = resultOf(method, params[0])
  return [Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":`), ...result, Buffer.from('}')]
}

function resultOf(method: string, asked: LogFilter | string): Buffer[] {
  if (method === 'eth_chainId') return [Buffer.from(`"${quantity(CHAIN_ID)}"`)]
  if (method === 'eth_blockNumber') return [Buffer.from(`"${quantity(last)}"`)]
  if (method === 'eth_getBlockByNumber') {
    const number = asked === 'latest' ? last : Number(asked)
    return [Buffer.from(blocks[number - first]?.header ?? 'null')]
  }
  if (method !== 'eth_getLogs' || typeof asked === 'string') throw new Error(`nobody asks for ${method}`)
  return listLogs(asked)
}

function listLogs(filter: LogFilter): Buffer[] {
  const isHash = 'blockHash' in filter
  const from = isHash ? (byHash.get(filter.blockHash) ?? 0) : Number(filter.fromBlock)
  const to = isHash ? from : Number(filter.toBlock)
  const parts: Buffer[] = []
  for (const block of blocks.slice(from - first, to - first + 1)) {
    if (block.logs.length === 0) continue
    if (parts.length > 0) parts.push(COMMA)
    parts.push(block.logs)
  }
  return [Buffer.from('['), ...parts, Buffer.from(']')]
}

/** Without the half hour of old contracts that every universe begins with. */
function record() {
  const universe = new Universe({ seed: 1, startMs: START_MS, intensity: INTENSITY })
  const encoded = new EncodedBlocks(universe.chain)
  universe.advance(START_MS - 1)
  const first = universe.chain.head.number + 1
  const blocks: RecordedBlock[] = []
  let logs = 0
  for (let nowMs = START_MS + STEP_MS; logs < LOGS; nowMs += STEP_MS) {
    universe.advance(nowMs)
    while (first + blocks.length <= universe.chain.head.number) {
      const block = universe.chain.block(first + blocks.length)
      if (block === undefined) throw new Error('the chain has no hole')
      const { hash, transactions } = encoded.get(block)
      const shown = transactions
        .flatMap((transaction) => transaction.logs)
        .filter(({ body }) => ADDRESSES.has(body.address) && TOPICS.has(body.topics[0] ?? ''))
        .map((log) => log.show())
      const header = JSON.stringify({
        number: quantity(block.number),
        hash,
        parentHash: universe.chain.parentHashOf(block),
        timestamp: quantity(block.timestampSec),
        transactions: [],
      })
      blocks.push({ hash, header, logs: Buffer.from(shown.join()) })
      logs += shown.length
    }
  }
  return { first, blocks, logs }
}
