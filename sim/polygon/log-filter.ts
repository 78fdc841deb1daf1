import type { LogBody } from '../contracts/log.js'
import { type JsonObject, readAddress, readHash } from './params.js'
import { invalidParams } from './rpc-error.js'

const TOPICS_MAX = 4

type Accepted = ReadonlySet<string> | undefined

/** `undefined` accepts everything. Each position of `topics` accepts one of several. */
export type LogFilter = { addresses: Accepted; topics: readonly Accepted[] }

export function readLogFilter({ address, topics }: JsonObject): LogFilter {
  return { addresses: readAccepted(address, 'address', readAddress), topics: readTopics(topics) }
}

/** A log with fewer topics than the filter has positions does not match, even if any would do. */
export function matchesLog({ addresses, topics }: LogFilter, log: LogBody): boolean {
  if (addresses !== undefined && !addresses.has(log.address)) return false
  if (topics.length > log.topics.length) return false
  for (let position = 0; position < topics.length; position += 1) {
    const accepted = topics[position]
    if (accepted !== undefined && !accepted.has(log.topics[position] ?? '')) return false
  }
  return true
}

function readTopics(value: unknown): Accepted[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw invalidParams('invalid topics: want an array')
  if (value.length > TOPICS_MAX) throw invalidParams('exceed max topics')
  return value.map((each, position) => readAccepted(each, `topic ${position}`, readHash))
}

function readAccepted(
  value: unknown,
  name: string,
  read: (value: unknown, name: string) => string,
): Accepted {
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value)) return new Set([read(value, name)])
  // A null in a list of topics accepts any, and so does an empty list.
  if (value.length === 0 || value.includes(null)) return undefined
  return new Set(value.map((each) => read(each, name)))
}
