/**
 * Ids of the structured contracts say what they are. In hex digits from the left: module 2, hash 32,
 * arity 4, unused 16, resolution chain 4, index of the condition 4, outcome 2. Ids of conditions lack
 * the outcome and ids of events the last three bytes; here both are padded with zeros to 32 bytes.
 */
type StructuredId = {
  moduleId: number
  arity: number
  conditionIndex: number
  outcomeIndex: number
  /** 31 bytes. */
  conditionId: string
  /** 29 bytes. */
  eventId: string
}

/** Where the digits of a hex text start: after `0x`. */
const START = 2
const UNUSED_AT = START + 38
const UNUSED = '0'.repeat(16)
const EVENT_END = START + 58
const CONDITION_END = START + 62
const MODULES = '1234'

export const COMBO_MODULE = 3

/** `undefined`: a hash, as the ids of the first contracts are. */
export function parseStructuredId(id: string): StructuredId | undefined {
  if (!isStructuredId(id)) return undefined
  return {
    moduleId: numberAt(id, 0, 2),
    arity: numberAt(id, 34, 4),
    conditionIndex: numberAt(id, 58, 4),
    outcomeIndex: numberAt(id, 62, 2),
    conditionId: id.slice(0, CONDITION_END),
    eventId: id.slice(0, EVENT_END),
  }
}

/** Of a position, or of a padded condition or event. A hash practically never looks like one. */
export const isStructuredId = (id: string): boolean =>
  id.charAt(START) === '0' &&
  MODULES.includes(id.charAt(START + 1)) &&
  id.slice(UNUSED_AT, UNUSED_AT + UNUSED.length) === UNUSED

export const isCombo = (token: string): boolean => parseStructuredId(token)?.moduleId === COMBO_MODULE

/** A condition as messages and answers have it: a structured one without its padding. */
export const toConditionId = (condition: string): string =>
  parseStructuredId(condition)?.conditionId ?? condition

/** A condition of 31 bytes or an event of 29 bytes, padded to the 32 bytes of a column. */
export const padId = (id: string): string => id.padEnd(START + 64, '0')

const CONDITION = /^0x([0-9a-f]{62}|[0-9a-f]{64})$/

/** A condition of 31 or 32 bytes in any letter case, padded to 32. `undefined`: it is none. */
export function parseConditionId(text: string): string | undefined {
  const id = text.toLowerCase()
  return CONDITION.test(id) ? padId(id) : undefined
}

/** The padded condition of a structured position. */
export const conditionOfPosition = (position: string): string => `${position.slice(0, CONDITION_END)}00`

export const outcomeOfPosition = (position: string): number =>
  Number.parseInt(position.slice(CONDITION_END), 16)

/** Both positions of a structured condition, by outcome. */
export function positionsOf(condition: string): [string, string] {
  const id = condition.slice(0, CONDITION_END)
  return [`${id}00`, `${id}01`]
}

const numberAt = (id: string, from: number, count: number): number =>
  Number.parseInt(id.slice(START + from, START + from + count), 16)

/** YES and NO are the two positions of every structured condition. */
export const sideOf = (token: string): 'YES' | 'NO' => (token.endsWith('00') ? 'YES' : 'NO')
