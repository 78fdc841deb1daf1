import { describe, expect, test } from 'vitest'
import { answerRpc } from './rpc.js'
import { RpcError } from './rpc-error.js'

const called: string[] = []
const answer = (message: unknown) => {
  const text = typeof message === 'string' ? message : JSON.stringify(message)
  const reply = answerRpc(text, (method, params) => {
    called.push(method)
    if (method === 'fail') throw new RpcError(3, 'execution reverted', '0x')
    if (method === 'crash') throw new TypeError('boom')
    return JSON.stringify({ method, params })
  })
  return reply === undefined ? undefined : JSON.parse(reply)
}
const request = (rest: object) => ({ jsonrpc: '2.0', id: 1, method: 'do', ...rest })

describe('answerRpc', () => {
  test.each([1, 'a', 0.5, null])('echoes the id %o', (id) => {
    expect(answer(request({ id, params: [1] }))).toEqual({
      jsonrpc: '2.0',
      id,
      result: { method: 'do', params: [1] },
    })
  })

  test('params may be left out', () => {
    expect(answer(request({}))).toMatchObject({ result: { params: [] } })
  })

  test.each([
    [-32700, '{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]', null],
    [-32700, '', null],
    [-32600, '1', null],
    [-32600, 'null', null],
    [-32600, [], null],
    [-32600, { jsonrpc: '2.0', method: 1, params: 'bar' }, null],
    [-32600, { id: 1, method: 'do' }, null],
    [-32600, request({ id: { a: 1 } }), null],
    [-32600, Array.from({ length: 1_001 }, () => request({})), null],
    [-32602, request({ params: { a: 1 } }), 1],
    [-32603, request({ method: 'crash' }), 1],
  ])('%i for %o', (code, message, id) => {
    expect(answer(message)).toEqual({
      jsonrpc: '2.0',
      id,
      error: { code, message: expect.any(String) },
    })
  })

  test('an error carries its data', () => {
    const error = { code: 3, message: 'execution reverted', data: '0x' }
    expect(answer(request({ method: 'fail' }))).toEqual({ jsonrpc: '2.0', id: 1, error })
  })

  test('a batch is answered in order, each member for itself, notifications not at all', () => {
    const { id: _, ...notification } = request({})
    const batch = [request({ id: 1 }), notification, 7, request({ id: 2, method: 'fail' })]
    expect(answer(batch)).toEqual([
      expect.objectContaining({ id: 1, result: expect.anything() }),
      expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32600 }) }),
      expect.objectContaining({ id: 2, error: expect.objectContaining({ code: 3 }) }),
    ])
  })

  test('a batch whose answers grow too long ends in errors', () => {
    const long = `"${'x'.repeat(20_000_000)}"`
    const batch = [1, 2, 3, 4].map((id) => request({ id }))
    const answers = JSON.parse(answerRpc(JSON.stringify(batch), () => long) ?? '')
    expect(answers.map(({ error }: { error?: { code: number } }) => error?.code)).toEqual([
      undefined,
      undefined,
      undefined,
      -32003,
    ])
  })

  test('notifications are carried out and not answered, not even their failure', () => {
    called.length = 0
    expect(answer({ jsonrpc: '2.0', method: 'do' })).toBeUndefined()
    expect(answer({ jsonrpc: '2.0', method: 'fail' })).toBeUndefined()
    expect(answer([{ jsonrpc: '2.0', method: 'do' }])).toBeUndefined()
    expect(called).toEqual(['do', 'fail', 'do'])
  })
})
