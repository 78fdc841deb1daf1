export const HOST_NAMES = [
  'polygon',
  'gamma',
  'clob',
  'clob_ws',
  'rtds',
  'live_v2',
  'chainlink',
  'data_api',
  'rfq',
  'site',
  'sports_ws',
  'searxng',
  'x_api',
] as const
export type HostName = (typeof HOST_NAMES)[number]

export const FAULT_MODES = [
  '429',
  '500',
  'slow',
  'garbage',
  'truncated',
  'drop',
  'half-open',
  'silent',
  'duplicate',
  'reordered',
  'missed-heads',
  'missing-logs',
  'doubled-logs',
  'contradicting-logs',
  'head-back',
  'two-nodes',
  'skew',
  'range-too-large',
  'too-many-results',
  'stale',
  'engine-down',
  'engines-down',
  'format-off',
] as const
export type FaultMode = (typeof FAULT_MODES)[number]

/** What one call of the control port switches on or off. */
export type FaultOrder = {
  upstream: HostName | '*'
  /** `off` ends every fault of the host. */
  mode: FaultMode | 'off'
  /** Absent: until it is switched off. */
  seconds?: number | undefined
  /** Share of the requests, frames or connections that it hits. */
  rate?: number | undefined
  delayMs?: number | undefined
  skewMs?: number | undefined
  /** How many blocks the node moves its head back, or its second node lags behind. */
  blocks?: number | undefined
  /** Only requests whose path begins with this. Absent: all of the host. */
  path?: string | undefined
}

/** An order that cannot be followed. The message names the field and what it may be. */
export class FaultOrderError extends Error {
  override name = 'FaultOrderError'
  readonly field: string
  readonly allowed: readonly string[] | string

  constructor(field: string, allowed: readonly string[] | string) {
    const shown = typeof allowed === 'string' ? allowed : `one of ${allowed.join(', ')}`
    super(`${field} must be ${shown}`)
    this.field = field
    this.allowed = allowed
  }
}

const DAY_MS = 86_400_000
const FAULT_BLOCKS_MAX = 128

/** Checks the JSON of an order; throws a FaultOrderError. */
export function parseFaultOrder(json: { readonly [field: string]: unknown }): FaultOrder {
  const unknown = Object.keys(json).find((field) => !FIELDS.includes(field))
  if (unknown !== undefined) throw new FaultOrderError(`field ${unknown}`, FIELDS)
  return {
    upstream: parseChoice('upstream', json.upstream, [...HOST_NAMES, '*']),
    mode: parseChoice('mode', json.mode, [...FAULT_MODES, 'off']),
    seconds: parseNumber('seconds', json.seconds, 0.001, 3_600),
    rate: parseNumber('rate', json.rate, 0, 1),
    delayMs: parseNumber('delayMs', json.delayMs, 0, 600_000),
    skewMs: parseNumber('skewMs', json.skewMs, -DAY_MS, DAY_MS),
    blocks: parseBlocks(json.blocks),
    path: parsePath(json.path, json.mode),
  }
}

const FIELDS = ['upstream', 'mode', 'seconds', 'rate', 'delayMs', 'skewMs', 'blocks', 'path']

function parseChoice<T extends string>(field: string, value: unknown, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === value)
  if (found === undefined) throw new FaultOrderError(field, allowed)
  return found
}

/** Faults that hit one request at a time. */
const REQUEST_MODES = ['429', '500', 'slow', 'garbage', 'truncated', 'half-open', 'stale']
const PATH_LENGTH_MAX = 200

function parsePath(path: unknown, mode: unknown): string | undefined {
  if (path === undefined) return undefined
  if (!REQUEST_MODES.includes(String(mode))) {
    throw new FaultOrderError('path', `absent unless mode is one of ${REQUEST_MODES.join(', ')}`)
  }
  if (typeof path === 'string' && path.startsWith('/') && path.length <= PATH_LENGTH_MAX) return path
  throw new FaultOrderError('path', 'the beginning of a path, like /events/keyset')
}

function parseBlocks(value: unknown): number | undefined {
  const blocks = parseNumber('blocks', value, 1, FAULT_BLOCKS_MAX)
  if (blocks === undefined || Number.isInteger(blocks)) return blocks
  throw new FaultOrderError('blocks', `a whole number from 1 to ${FAULT_BLOCKS_MAX}`)
}

function parseNumber(field: string, value: unknown, min: number, max: number): number | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'number' && value >= min && value <= max) return value
  throw new FaultOrderError(field, `a number from ${min} to ${max}`)
}
