import { EXCHANGES } from '../../upstreams/polygon/contracts.js'
import { EMITTERS } from '../../upstreams/polygon/events.js'
import { createBloomTest, KNOWN_TOPICS, WATCHED } from '../../upstreams/polygon/filter.js'
import type { ChainLog } from '../../upstreams/polygon/log.js'

/**
 * Whether the bloom filter of a block header contradicts the logs that the node returned for the
 * block: a log that the bloom excludes, no logs although the bloom allows some, or no fills of an
 * exchange whose fills the bloom allows.
 */
export function contradictsBloom(bloom: string, logs: readonly ChainLog[]): boolean {
  if (logs.length === 0) return mayHaveLogs(bloom)
  return logs.some((log) => !bloomAllows(bloom, log)) || lacksFills(bloom, logs)
}

/** `false`: the block certainly has no log of that contract with that event. */
export function bloomAllows(bloom: string, { at, topics }: ChainLog): boolean {
  const [topic0] = topics
  const hasAddress = ADDRESS_TESTS.get(at.address) ?? createBloomTest({ address: [at.address] })
  if (!hasAddress(bloom) || topic0 === undefined) return hasAddress(bloom)
  const hasTopic = TOPIC_TESTS.get(topic0) ?? createBloomTest({ topics: [[topic0]] })
  return hasTopic(bloom)
}

type BloomTest = (bloom: string) => boolean

const mayHaveLogs = createBloomTest({ ...WATCHED, topics: [KNOWN_TOPICS] })

/** A test hashes its item once, so those of all known contracts and events are made beforehand. */
const ADDRESS_TESTS: ReadonlyMap<string, BloomTest> = new Map(
  WATCHED.address.map((address) => [address, createBloomTest({ address: [address] })]),
)
const TOPIC_TESTS: ReadonlyMap<string, BloomTest> = new Map(
  KNOWN_TOPICS.map((topic) => [topic, createBloomTest({ topics: [[topic]] })]),
)

const FILL_EMITTERS = [...EXCHANGES].map((address) => {
  const events = [...(EMITTERS.get(address)?.events.values() ?? [])]
  const topics = events.filter(({ kind }) => kind === 'fill').map(({ topic0 }) => topic0)
  const mayHaveFills = createBloomTest({ address: [address], topics: [topics] })
  return { address, topics, mayHaveFills }
})

function lacksFills(bloom: string, logs: readonly ChainLog[]): boolean {
  const seen = new Set<string>()
  for (const { at, topics } of logs) if (FILL_TOPICS.has(topics[0] ?? '')) seen.add(at.address)
  // A crowded bloom allows almost everything: then only a block without any fill is suspicious.
  if (seen.size > 0 && isCrowded(bloom)) return false
  return FILL_EMITTERS.some(({ address, mayHaveFills }) => !seen.has(address) && mayHaveFills(bloom))
}

const FILL_TOPICS = new Set(FILL_EMITTERS.flatMap(({ topics }) => topics))

/** More than half of the 2,048 bits are set. */
const isCrowded = (bloom: string): boolean => BigInt(bloom).toString(2).replaceAll('0', '').length > 1_024
