import { expect, test } from 'vitest'
import { seqOf } from '../../core/seq.js'
import { UnknownOperators } from './unknown-operators.js'

const EXCHANGE = '0x00000000000000000000000000000000000000e4'
const TOOL = '0x0000000000000000000000000000000000000001'
const HEAD = 86_000_000

const move = (operator: string, block: number, transfers: number) => ({
  seq: seqOf(block, 0),
  operator,
  transfers,
})

test('an operator as busy as an exchange is returned, one with few transfers is not', () => {
  const operators = new UnknownOperators()
  for (let block = HEAD - 50; block <= HEAD; block++) operators.add([move(EXCHANGE, block, 4)])
  operators.add([move(TOOL, HEAD, 3)])
  expect(operators.busy(HEAD)).toEqual([{ operator: EXCHANGE, transfers: 204 }])
})

test('an operator without transfers in the last hour is forgotten', () => {
  const operators = new UnknownOperators()
  operators.add([move(EXCHANGE, HEAD - 3_000, 500)])
  expect(operators.busy(HEAD)).toEqual([])
})

test('transfers that a reorganisation took back do not count', () => {
  const operators = new UnknownOperators()
  operators.add([move(EXCHANGE, HEAD - 2, 99), move(EXCHANGE, HEAD, 500)])
  operators.revert(HEAD - 1)
  expect(operators.busy(HEAD)).toEqual([])
})

test('the number of remembered operators is bounded', () => {
  const operators = new UnknownOperators()
  for (let index = 0; index < 20_000; index++) {
    operators.add([move(`0x${index.toString(16).padStart(40, '0')}`, HEAD, 200)])
  }
  expect(operators.busy(HEAD).length).toBeLessThanOrEqual(10_000)
})
