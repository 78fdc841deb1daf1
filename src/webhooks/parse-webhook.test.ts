import { Ajv } from 'ajv'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { counts } from '../../test/counts.js'
import { ApiError } from '../core/errors.js'
import { eventTypeRow, WEBHOOK_EVENT_TYPE_NAMES } from './event-types.js'
import { FILTER_NAMES } from './filters.js'
import { CreateWebhookBody } from './manage/schemas.js'
import { checkRequiredFilters, parseEventTypes, parseFilters } from './parse-webhook.js'

const ADDRESS = `0x${'aB'.repeat(20)}`
const BYTES_32 = `0x${'Cd'.repeat(32)}`

/** The refusal of a value. */
function refusalOf(work: () => unknown): { error: string; message: string; hint?: string } {
  try {
    work()
  } catch (error) {
    if (error instanceof ApiError) {
      return { error: error.message, ...(error.fields as { message: string }) }
    }
    throw error
  }
  return expect.fail('it was accepted')
}

const many = (count: number, item: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => item(index))

const addressOf = (index: number) => `0x${index.toString(16).padStart(40, '0')}`

describe('parseFilters', () => {
  test.each<[string, object, object]>([
    ['addresses', { wallet_addresses: [ADDRESS] }, { wallet_addresses: [ADDRESS.toLowerCase()] }],
    ['conditions', { condition_ids: [BYTES_32] }, { condition_ids: [BYTES_32.toLowerCase()] }],
    [
      'a structured condition without its last byte',
      { condition_ids: [`0x${'12'.repeat(31)}`] },
      { condition_ids: [`0x${'12'.repeat(31)}00`] },
    ],
    [
      'builders with and without 0x',
      { builder_codes: [BYTES_32, BYTES_32.slice(2)] },
      { builder_codes: [BYTES_32.toLowerCase()] },
    ],
    ['tokens', { token_ids: ['7', '007', '0x7', '0xff'] }, { token_ids: ['7', '255'] }],
    [
      'tags as they are',
      { tags: ['Crypto', 'crypto', 'Präsident'] },
      { tags: ['Crypto', 'crypto', 'Präsident'] },
    ],
    ['a side in any case', { side: 'buy' }, { side: 'BUY' }],
    [
      'statuses in any case',
      { status_from: 'NONE', status_to: 'Open' },
      { status_from: 'none', status_to: 'open' },
    ],
    ['null as left out', { side: null, tags: null, min_fee_usd: 0 }, { min_fee_usd: 0 }],
    ['an empty list', { tags: [] }, { tags: [] }],
    ['numbers', { min_amount_usd: 0.01, confirmations: 64 }, { min_amount_usd: 0.01, confirmations: 64 }],
    [
      'numbers as text, which clients with a decimal type send',
      { min_amount_usd: '10', min_fee_usd: '0.010', confirmations: '3' },
      { min_amount_usd: 10, min_fee_usd: 0.01, confirmations: 3 },
    ],
  ])('takes %s', (_what, given, parsed) => {
    expect(parseFilters(given)).toEqual(parsed)
  })

  test.each<[unknown, RegExp, RegExp?]>([
    [[], /must be an object/],
    ['x', /must be an object/],
    [7, /must be an object/],
    [{ wallet: [ADDRESS] }, /"wallet", which is no filter/, /event-types/],
    [{ wallet_adresses: [] }, /no filter/, /Did you mean wallet_addresses\?/],
    [{ ['x'.repeat(100_000)]: 1 }, /no filter/],
    [{ __proto__x: 1 }, /no filter/],
    [{ constructor: 1 }, /no filter/],
    [{ wallet_addresses: ADDRESS }, /wallet_addresses must be a list of at most 500 values/],
    [{ wallet_addresses: ['0x12'] }, /wallet_addresses has "0x12"/, /address.*at most 500 values/],
    [{ wallet_addresses: [null] }, /wallet_addresses has null/],
    [{ wallet_addresses: [[ADDRESS]] }, /wallet_addresses has a list/],
    [{ wallet_addresses: [{}] }, /wallet_addresses has an object/],
    [
      { wallet_addresses: many(501, addressOf) },
      /has 501 values, and may have at most 500/,
      /^wallet_addresses: at most 500/,
    ],
    [{ receiver_addresses: many(501, addressOf) }, /receiver_addresses has 501 values/],
    [{ token_ids: many(101, String) }, /token_ids has 101 values, and may have at most 100/],
    [{ condition_ids: many(101, () => BYTES_32) }, /condition_ids has 101 values/],
    [{ builder_codes: many(101, () => BYTES_32) }, /builder_codes has 101 values/],
    [{ event_slugs: many(51, String) }, /event_slugs has 51 values, and may have at most 50/],
    [{ tags: many(21, String) }, /tags has 21 values, and may have at most 20/],
    [{ wallets: [] }, /filters has "wallets"/, /^Did you mean wallet_addresses\?/],
    [{ token_ids: [7] }, /token_ids has 7/, /as text/],
    [{ token_ids: ['-1'] }, /token_ids/],
    [{ token_ids: [(2n ** 256n).toString()] }, /token_ids/],
    [{ token_ids: ['1e5'] }, /token_ids/],
    [{ condition_ids: [BYTES_32.slice(2)] }, /condition_ids/],
    [{ event_slugs: [''] }, /event_slugs has ""/],
    [{ event_slugs: ['x'.repeat(301)] }, /event_slugs/],
    [{ tags: ['a\u0000b'] }, /tags/],
    [{ tags: ['\ud800'] }, /tags/],
    [{ min_amount_usd: 'five' }, /min_amount_usd must be a number from 0 to 1000000000000, not "five"/],
    [{ min_amount_usd: '' }, /min_amount_usd must be a number/],
    [{ min_amount_usd: '-5' }, /min_amount_usd must be a number/],
    [{ min_amount_usd: '1e3' }, /min_amount_usd must be a number/],
    [{ min_amount_usd: -0.5 }, /min_amount_usd must be a number/],
    [{ min_amount_usd: 1e13 }, /min_amount_usd must be a number from 0 to 1000000000000/],
    [{ min_fee_usd: Number.NaN }, /min_fee_usd must be a number/],
    [{ min_delta_pct: true }, /min_delta_pct must be a number/],
    [{ min_pnl_change_usd: [] }, /min_pnl_change_usd must be a number/],
    [{ min_total_usd: {} }, /min_total_usd must be a number/],
    [{ side: 'HOLD' }, /side must be one of BUY, SELL/],
    [{ side: 1 }, /side must be one of BUY, SELL/],
    [{ status_from: 'gone' }, /status_from must be one of none, open, closed, redeemable, redeemed/],
    [{ status_to: 'none' }, /status_to must be one of open, closed, redeemable, redeemed/],
    [{ confirmations: 65 }, /confirmations must be an integer from 0 to 64/],
    [{ confirmations: 1.5 }, /confirmations must be an integer/],
    [{ confirmations: -1 }, /confirmations must be an integer/],
    [{ confirmations: '3.5' }, /confirmations must be an integer/],
  ])('refuses %j', (given, message, hint = /^/) => {
    const refusal = refusalOf(() => parseFilters(given))
    expect(refusal.error).toBe('invalid_filters')
    expect(refusal.message).toMatch(message)
    expect(refusal.hint ?? '').toMatch(hint)
    expect(JSON.stringify(refusal).length).toBeLessThan(1_000)
  })

  test('takes filters of the maximum size', () => {
    const filters = {
      wallet_addresses: many(500, addressOf),
      receiver_addresses: many(500, addressOf),
      token_ids: many(100, (index) => (2n ** 256n - 1n - BigInt(index)).toString()),
      condition_ids: many(100, (index) => `0x${index.toString(16).padStart(64, '0')}`),
      builder_codes: many(100, (index) => `0x${index.toString(16).padStart(64, '0')}`),
      event_slugs: many(50, (index) => `${index}`.padStart(300, 'ü')),
      tags: many(20, (index) => `${index}`.padStart(300, 'ü')),
    }
    expect(parseFilters(filters)).toEqual(filters)
  })

  const json = fc.jsonValue({ maxDepth: 3 })
  const filters = fc.dictionary(fc.constantFrom(...FILTER_NAMES, 'x'), json, { maxKeys: 4 })
  const runs = counts({ short: 500, long: 20_000 })

  test('takes what it has written, and refuses everything else with a code', () => {
    fc.assert(
      fc.property(filters, (given) => {
        try {
          const parsed = parseFilters(given)
          expect(parseFilters(JSON.parse(JSON.stringify(parsed)))).toEqual(parsed)
        } catch (error) {
          if (!(error instanceof ApiError)) throw error
          expect(error).toMatchObject({ status: 400, message: 'invalid_filters' })
        }
      }),
      { numRuns: runs },
    )
  })

  test('takes what the OpenAPI document allows, and refuses what it does not', () => {
    const validate = new Ajv({ strict: false }).compile(CreateWebhookBody.properties.filters)
    fc.assert(
      fc.property(filters, (given) => {
        // The parser also takes null, and other spellings of choices.
        fc.pre(Object.values(given).every((value) => value !== null && typeof value !== 'string'))
        const isAllowed = validate(given)
        if (isAllowed) expect(parseFilters(given)).toBeDefined()
        else expect(refusalOf(() => parseFilters(given)).error).toBe('invalid_filters')
      }),
      { numRuns: runs },
    )
  })
})

describe('parseEventTypes', () => {
  test('takes each name once, in the order in which it was given', () => {
    expect(parseEventTypes(['split', 'trade', 'split'])).toEqual(['split', 'trade'])
    expect(parseEventTypes(WEBHOOK_EVENT_TYPE_NAMES)).toHaveLength(16)
  })

  test('asks whether a name that is close was meant', () => {
    expect(refusalOf(() => parseEventTypes(['trades'])).hint).toBe('Did you mean trade?')
  })

  test.each([
    [undefined],
    [null],
    ['trade'],
    [{}],
    [[]],
    [['trades']],
    [['trade', 5]],
    [[['trade']]],
    [['__proto__']],
    [['toString']],
    [Array(101).fill('trade')],
    [['x'.repeat(100_000)]],
  ])('refuses %j', (given) => {
    const refusal = refusalOf(() => parseEventTypes(given))
    expect(refusal).toMatchObject({
      error: 'invalid_event_types',
      allowed: WEBHOOK_EVENT_TYPE_NAMES,
      message: expect.stringMatching(/^event_types /),
    })
    expect(refusal.message.length).toBeLessThan(200)
  })
})

describe('checkRequiredFilters', () => {
  test.each(WEBHOOK_EVENT_TYPE_NAMES)('%s', (type) => {
    const required = eventTypeRow(type).required ?? []
    const full = { wallet_addresses: ['a'], builder_codes: ['b'], min_amount_usd: 0 }
    expect(() => checkRequiredFilters([type], full)).not.toThrow()
    if (required.length === 0) return checkRequiredFilters([type], {})
    const [filter] = required
    const isOpen = filter === 'min_amount_usd' ? {} : { [filter ?? '']: [] }
    expect(refusalOf(() => checkRequiredFilters(['trade', type], isOpen))).toMatchObject({
      error: 'missing_required_filter',
      message: `The event type ${type} needs the filter ${filter}.`,
      hint: expect.stringContaining(`filters.${filter}`),
      event_type: type,
      filter,
    })
  })
})
