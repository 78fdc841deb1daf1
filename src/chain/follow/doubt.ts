import { createBloomTest } from '../../upstreams/polygon/bloom.js'
import { EXCHANGES } from '../../upstreams/polygon/contracts.js'
import { EMITTERS } from '../../upstreams/polygon/events.js'
import { KNOWN_TOPICS, WATCHED } from '../../upstreams/polygon/filter.js'
import type { ChainLog } from '../../upstreams/polygon/log.js'

/**
 * Whether the bloom of a block contradicts the logs that a node gave for it: a log that cannot be
 * there, none at all where there should be some, or no fills of an exchange that should have some.
 */
export function isDoubtful(bloom: string, logs: readonly ChainLog[]): boolean {
  if (logs.length === 0) return mayHaveLogs(bloom)
  return logs.some((log) => !canHold(bloom, log)) || lacksFills(bloom, logs)
}

const mayHaveLogs = createBloomTest({ ...WATCHED, topics: [KNOWN_TOPICS] })

/** `false`: the block certainly has no log of that contract with that event. */
export function canHold(bloom: string, { at, topics }: ChainLog): boolean {
  const [topic0] = topics
  return (
    hasItem(bloom, 'address', at.address) &&
    (topic0 === undefined || hasItem(bloom, 'topic', topic0))
  )
}

type BloomTest = (bloom: string) => boolean

/** Contracts and events that we ask for are few, so that each is hashed once. */
const TESTS = { address: new Map<string, BloomTest>(), topic: new Map<string, BloomTest>() }
const TESTS_MAX = 1_000

function hasItem(bloom: string, kind: 'address' | 'topic', item: string): boolean {
  const tests = TESTS[kind]
  let test = tests.get(item)
  if (test === undefined) {
    test = createBloomTest(kind === 'address' ? { address: [item] } : { topics: [[item]] })
    if (tests.size < TESTS_MAX) tests.set(item, test)
  }
  return test(bloom)
}

type Exchange = { address: string; topics: readonly string[]; mayHaveFills: BloomTest }

const FILLING: readonly Exchange[] = [...EXCHANGES].map((address) => {
  const events = [...(EMITTERS.get(address)?.events.values() ?? [])]
  const topics = events.filter(({ kind }) => kind === 'fill').map(({ topic0 }) => topic0)
  return {
    address,
    topics,
    mayHaveFills: createBloomTest({ address: [address], topics: [topics] }),
  }
})

function lacksFills(bloom: string, logs: readonly ChainLog[]): boolean {
  const seen = new Set<string>()
  for (const { at, topics } of logs) if (FILL_TOPICS.has(topics[0] ?? '')) seen.add(at.address)
  // A full bloom admits almost everything: then only a block without any fill is worth a question.
  if (seen.size > 0 && isCrowded(bloom)) return false
  return FILLING.some(({ address, mayHaveFills }) => !seen.has(address) && mayHaveFills(bloom))
}

const FILL_TOPICS = new Set(FILLING.flatMap(({ topics }) => topics))

/** More than half of its 2,048 bits are set. */
function isCrowded(bloom: string): boolean {
  let bits = 0
  for (let at = 2; at < bloom.length; at++) bits += BITS_OF_DIGIT[bloom.charAt(at)] ?? 0
  return bits > CROWDED_BITS
}

const CROWDED_BITS = 1_024
const BITS_OF_DIGIT: Record<string, number> = Object.fromEntries(
  Array.from({ length: 16 }, (_, digit) => [
    digit.toString(16),
    [1, 2, 4, 8].filter((bit) => (digit & bit) !== 0).length,
  ]),
)
