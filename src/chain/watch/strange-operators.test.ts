import { expect, test } from 'vitest'
import { seqOf } from '../../core/seq.js'
import { UnknownOperators } from './strange-operators.js'

const EXCHANGE = '0x00000000000000000000000000000000000000e4'
const TOOL = '0x0000000000000000000000000000000000000001'
const HEAD = 86_000_000

const move = (operator: string, block: number, transfers: number) => ({
  seq: seqOf(block, 0),
  operator,
  transfers,
})

test('an operator as busy as an exchange is named, a tool of one wallet is not', () => {
  const operators = new UnknownOperators()
  for (let block = HEAD - 50; block <= HEAD; block++) operators.add([move(EXCHANGE, block, 4)])
  operators.add([move(TOOL, HEAD, 3)])
  expect(operators.busy(HEAD)).toEqual([{ operator: EXCHANGE, transfers: 204 }])
})

test('who stopped an hour ago is forgotten', () => {
  const operators = new UnknownOperators()
  operators.add([move(EXCHANGE, HEAD - 3_000, 500)])
  expect(operators.busy(HEAD)).toEqual([])
})

test('what a reorganisation took back was never moved', () => {
  const operators = new UnknownOperators()
  operators.add([move(EXCHANGE, HEAD - 2, 99), move(EXCHANGE, HEAD, 500)])
  operators.cut(HEAD - 1)
  expect(operators.busy(HEAD)).toEqual([])
})

test('strangers cannot make it grow without end', () => {
  const operators = new UnknownOperators()
  for (let index = 0; index < 20_000; index++) {
    operators.add([move(`0x${index.toString(16).padStart(40, '0')}`, HEAD, 200)])
  }
  expect(operators.busy(HEAD).length).toBeLessThanOrEqual(10_000)
})
