import { isStructured } from '../chain/attribute/structured.js'
import { START } from '../upstreams/polygon/abi.js'

/** The parts of a structured id. `chain/attribute/structured.ts` describes the layout. */
type StructuredId = {
  moduleId: number
  arity: number
  conditionIndex: number
  outcomeIndex: number
  conditionId: string
  eventId: string
}

export const COMBO_MODULE = 3

/** `undefined`: a hash, as the first token contract has it. */
export function parseStructuredId(id: string): StructuredId | undefined {
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
  parseStructuredId(token)?.moduleId === COMBO_MODULE

/** A condition as messages have it: a structured one without the zero byte that pads it. */
export const toConditionId = (condition: string): string =>
  parseStructuredId(condition)?.conditionId ?? condition

const numberAt = (id: string, from: number, count: number): number =>
  Number.parseInt(id.slice(START + from, START + from + count), 16)
