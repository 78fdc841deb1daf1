import { keccak } from '../contracts/keccak.js'
import type { LogBody } from '../contracts/log.js'

const BLOOM_BYTES = 256

/** The logs bloom of a header or a receipt: three bits for every address and every topic. */
export function logsBloom(logs: Iterable<LogBody>): string {
  const items = new Set<string>()
  for (const { address, topics } of logs) {
    items.add(address)
    for (const topic of topics) items.add(topic)
  }
  const bloom = Buffer.alloc(BLOOM_BYTES)
  for (const item of items) addItem(bloom, item)
  return `0x${bloom.toString('hex')}`
}

function addItem(bloom: Buffer, item: string): void {
  const hash = keccak(item.slice(2))
  for (const offset of [0, 4, 8]) {
    const bit = Number.parseInt(hash.slice(offset, offset + 4), 16) % (8 * BLOOM_BYTES)
    const byte = BLOOM_BYTES - 1 - (bit >> 3)
    bloom[byte] = (bloom[byte] ?? 0) | (1 << (bit & 7))
  }
}
