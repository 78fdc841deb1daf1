import { describe, expect, test } from 'vitest'
import { UpstreamError } from '../../core/upstream-error.js'
import { BodyTooLargeError } from '../transport/http-try.js'
import { needsSmallerRange, RpcError } from './rpc-error.js'

describe('the wordings of providers', () => {
  test.each([
    [-32701, 'exceed maximum block range: 10000', 'tooMuch'],
    [-32005, 'query returned more than 10000 results', 'tooMuch'],
    [-32002, 'request timed out', 'tooMuch'],
    [-32602, 'eth_getLogs is limited to a 10,000 range', 'tooMuch'],
    [-32602, 'Log response size exceeded. this block range should work: [0x1, 0x2]', 'tooMuch'],
    [-32600, 'You can make eth_getLogs requests with up to a 10 block range.', 'tooMuch'],
    [-32000, 'logs matched by query exceeds limit of 10000', 'tooMuch'],
    [-32000, 'block range is too wide', 'tooMuch'],
    [35, 'ranges over 10000 blocks are not supported on freetier', 'tooMuch'],
    [-32602, 'eth_getLogs is limited to 0 - 10000 blocks range', 'tooMuch'],
    [-32602, 'eth_getLogs and eth_newFilter are limited to 1,024 blocks', 'tooMuch'],
    [-32602, 'Maximum allowed number of requested blocks is 1000', 'tooMuch'],
    [-32000, 'requested too many blocks from 1 to 9999, maximum is set to 2048', 'tooMuch'],
    [-32602, 'query exceeds max results 20000, retry with the range 1-2', 'tooMuch'],
    [-32600, 'exceeds the range allowed for your plan (5000 > 3000)', 'tooMuch'],
    [-32602, 'please limit the query to at most 1000 blocks', 'tooMuch'],
    [-32047, 'Invalid eth_getLogs request. Max range: 800', 'tooMuch'],
    [-32000, 'invalid block range', 'lagging'],
    [-32602, 'invalid block range params', 'lagging'],
    [-32602, 'block range extends beyond current head block', 'lagging'],
    [-32000, 'header not found', 'lagging'],
    [-32000, 'unknown block', 'lagging'],
    [-32005, 'daily request count exceeded, request rate limited', 'busy'],
    [429, 'exceeded its compute units per second capacity', 'busy'],
    [-32603, 'internal error', 'broken'],
    [-32602, 'missing value for required argument 0', 'refused'],
  ] as const)('%i %s', (code, message, fault) => {
    const error = new RpcError('polygon', 'eth_getLogs', code, message)
    expect(error.fault).toBe(fault)
    expect(error.retryable).toBe(!['tooMuch', 'refused'].includes(fault))
    expect(needsSmallerRange(error)).toBe(fault === 'tooMuch')
  })

  test('a long story is cut short', () => {
    const { message } = new RpcError('polygon', 'eth_call', 3, 'x'.repeat(10_000))
    expect(message.length).toBeLessThan(300)
  })

  test('a timeout of anything but logs is worth another try', () => {
    const error = new RpcError('polygon', 'eth_call', -32002, 'request timed out')
    expect(error).toMatchObject({ fault: 'broken', retryable: true })
  })

  test('a refusal may also come as a status of HTTP, or from our own limits', () => {
    const error = (message: string, status?: number, cause?: unknown) =>
      new UpstreamError(message, { upstream: 'polygon', retryable: false, status, cause })
    expect(needsSmallerRange(error('answered 400: block range is too wide', 400))).toBe(true)
    expect(needsSmallerRange(error('answered 413: ', 413))).toBe(true)
    expect(needsSmallerRange(error('too large', undefined, new BodyTooLargeError('64 MB')))).toBe(true)
    expect(needsSmallerRange(error('answered 429: limit exceeded', 429))).toBe(false)
    expect(needsSmallerRange(error('answered 401: no key', 401))).toBe(false)
    expect(needsSmallerRange(new Error('block range'))).toBe(false)
  })
})
