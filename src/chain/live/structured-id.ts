import { LRUCache } from 'lru-cache'
import { START } from '../../upstreams/polygon/abi.js'

/**
 * Positions that say in their id what they are, in hex digits from the left: module 2, hash 32,
 * arity 4, unused 16, resolution chain 4, index of the condition 4, outcome 2. Without the outcome
 * it is the id of the condition, without the last three bytes that of the event.
 */
type StructuredId = {
  moduleId: number
  arity: number
  conditionIndex: number
  outcomeIndex: number
  conditionId: string
  eventId: string
}

export const COMBO_MODULE = 3
const MODULE_MAX = 4

/** `undefined`: an id of the old kind, which is a hash and practically never fits. */
export function readStructuredId(id: string): StructuredId | undefined {
  const moduleId = numberAt(id, 0, 2)
  if (moduleId < 1 || moduleId > MODULE_MAX || digitsAt(id, 38, 16) !== UNUSED) return undefined
  return {
    moduleId,
    arity: numberAt(id, 34, 4),
    conditionIndex: numberAt(id, 58, 4),
    outcomeIndex: numberAt(id, 62, 2),
    conditionId: id.slice(0, START + 62),
    eventId: id.slice(0, START + 58),
  }
}

export const isCombo = (token: string): boolean =>
  readStructuredId(token)?.moduleId === COMBO_MODULE

/** A condition as it is shown: the structured ones without the byte that fills them up. */
export const toConditionId = (condition: string): string =>
  readStructuredId(condition)?.conditionId ?? condition

/** Outcome tokens are shown as decimal numbers. Events of one market share the text of its ids. */
export function toTokenId(token: string): string {
  const known = tokenIds.get(token)
  if (known !== undefined) return known
  const id = BigInt(token).toString()
  tokenIds.set(token, id)
  return id
}

const tokenIds = new LRUCache<string, string>({ max: 20_000 })

const UNUSED = '0'.repeat(16)

const digitsAt = (id: string, from: number, count: number): string =>
  id.slice(START + from, START + from + count)

const numberAt = (id: string, from: number, count: number): number =>
  Number.parseInt(digitsAt(id, from, count), 16)
