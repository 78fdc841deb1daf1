import { badRequest } from '../core/errors.js'
import { parseAddress } from '../core/ids.js'
import { readJsonObject } from '../http/json-object.js'
import { showValue } from '../lib/show-value.js'

// Bodies are read here, because one message for a bad list says more than a schema could.

export const POOL_ADDRESSES_MAX = 1_000
export const BATCH_ADDRESSES_MAX = 100

type BatchRequest = {
  addresses: string[]
  from?: string
  to?: string
  slippage?: string
  include_trades?: boolean
}

/** Addresses in small letters, each once. Throws a 400 unless all of them are right. */
export function readPoolBody(body: unknown): { addresses: string[] } {
  return { addresses: readAddresses(readJsonObject(body).addresses, POOL_ADDRESSES_MAX) }
}

export function readBatchBody(body: unknown): BatchRequest {
  const { addresses, from, to, slippage, include_trades: trades = false } = readJsonObject(body)
  if (typeof trades !== 'boolean') {
    throw badRequest(`Invalid include_trades: it must be true or false, not ${showValue(trades)}.`)
  }
  return {
    addresses: readAddresses(addresses, BATCH_ADDRESSES_MAX),
    include_trades: trades,
    ...(hasValue(from) && { from: readText('from', from) }),
    ...(hasValue(to) && { to: readText('to', to) }),
    ...(hasValue(slippage) && { slippage: readText('slippage', slippage) }),
  }
}

function readAddresses(addresses: unknown, max: number): string[] {
  if (addresses === undefined) {
    throw badRequest(`Missing required body field 'addresses': a list of 1 to ${max} wallets.`)
  }
  if (!Array.isArray(addresses) || addresses.length === 0 || addresses.length > max) {
    const shown = Array.isArray(addresses) ? `a list of ${addresses.length}` : showValue(addresses)
    throw badRequest(`Invalid addresses: it must be a list of 1 to ${max} wallets, not ${shown}.`)
  }
  return [...new Set(addresses.map(readAddress))]
}

function readAddress(address: unknown, index: number): string {
  const parsed = typeof address === 'string' ? parseAddress(address) : undefined
  if (parsed !== undefined) return parsed
  throw badRequest(
    `Invalid addresses: addresses[${index}] must be 0x and 40 hexadecimal digits, not ${showValue(address)}.`,
  )
}

const hasValue = (value: unknown): boolean => value !== undefined && value !== null

/** What the query of a single wallet has as text may be a number in JSON. */
function readText(name: string, value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return `${value}`
  throw badRequest(`Invalid ${name}: it must be a text or a number, not ${showValue(value)}.`)
}
