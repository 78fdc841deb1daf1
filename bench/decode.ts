import assert from 'node:assert'
import { createPolygonHost } from '../sim/polygon/host.js'
import { Faults } from '../sim/server/faults.js'
import { Universe } from '../sim/universe/universe.js'
import { LogDecoder } from '../src/upstreams/polygon/decode.js'
import { WATCHED } from '../src/upstreams/polygon/filter.js'
import { parseLogs } from '../src/upstreams/polygon/log.js'
import type { Bench } from './lib/bench.js'

const START_MS = Date.UTC(2026, 10, 14, 12)
const HISTORY_MS = 5 * 60_000
/** As busy as the real chain: dozens of fills in each block. */
const INTENSITY = 100
const BLOCKS = 25

export const decode: Bench = {
  name: 'decode',
  promise: 'bytes of an eth_getLogs answer to decoded events against JSON.parse of the same text',
  // At most four times as long: one time is JSON.parse itself, and the text must be made first.
  ratioMin: 0.25,
  unit: 'logs/s',
  async prepare() {
    const bytes = await makeAnswer()
    const text = bytes.toString()
    const decoder = new LogDecoder()
    return {
      ours: async () => measure(() => decodeAnswer(decoder, bytes)),
      yardstick: async () => measure(() => JSON.parse(text).result.length),
      close: async () => undefined,
    }
  },
}

function decodeAnswer(decoder: LogDecoder, bytes: Buffer): number {
  const logs = parseLogs(JSON.parse(bytes.toString()).result, 'result')
  const { events, broken } = decoder.decodeAll(logs)
  assert(broken.length === 0 && events.length === logs.length, 'every log is ours and decodes')
  return events.length
}

function measure(work: () => number): number {
  const startedAt = performance.now()
  const logs = work()
  return logs / ((performance.now() - startedAt) / 1000)
}

/** What a node answers about a busy minute: a few megabytes. */
async function makeAnswer(): Promise<Buffer> {
  const universe = new Universe({ seed: 1, startMs: START_MS, intensity: INTENSITY })
  universe.advance(START_MS + HISTORY_MS)
  const head = universe.chain.head.number
  const filter = { ...WATCHED, fromBlock: toHex(head - BLOCKS), toBlock: toHex(head) }
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [filter] }
  const limits = { rangeBlocksMax: BLOCKS * 2, logsMax: Number.POSITIVE_INFINITY }
  const { http } = createPolygonHost(universe, new Faults(), limits)
  const request = { method: 'POST', path: '/', url: '/', query: new URLSearchParams(), headers: {} }
  const reply = await http?.({ ...request, body: JSON.stringify(call) })
  assert(typeof reply?.body === 'string', 'the node answers with text')
  return Buffer.from(reply.body)
}

const toHex = (value: number): string => `0x${value.toString(16)}`
