import { LRUCache } from 'lru-cache'
import { isStructured } from '../chain/attribute/structured.js'
import { START } from '../upstreams/polygon/abi.js'

/** The parts of an id that says what it stands for. */
type StructuredId = {
  moduleId: number
  arity: number
  conditionIndex: number
  outcomeIndex: number
  conditionId: string
  eventId: string
}

export const COMBO_MODULE = 3

/** `undefined`: an id of the old kind. */
export function readStructuredId(id: string): StructuredId | undefined {
  if (!isStructured(id)) return undefined
  return {
    moduleId: numberAt(id, 0, 2),
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

const numberAt = (id: string, from: number, count: number): number =>
  Number.parseInt(id.slice(START + from, START + from + count), 16)
