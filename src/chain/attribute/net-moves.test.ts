import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NetMoves } from './net-moves.js'

const move = fc.record({
  from: fc.constantFrom('a', 'b', 'c', 'd'),
  to: fc.constantFrom('a', 'b', 'c', 'd'),
  token: fc.oneof(fc.constantFrom('yes', 'no'), fc.nat(99).map(String)),
  amount: fc.bigInt({ min: 0n, max: 100n }),
})

function settle(unexplained: NetMoves) {
  const paid: { from: string; to: string; token: string; amount: bigint }[] = []
  unexplained.settle((from, to, token, amount) => paid.push({ from, to, token, amount }))
  return paid
}

test('what it pays has the same effect as the moves, with no hand on both sides of a token', () => {
  fc.assert(
    fc.property(fc.array(move, { size: 'large' }), (moves) => {
      const unexplained = new NetMoves()
      for (const { from, to, token, amount } of moves) unexplained.move(from, to, token, amount)
      const paid = settle(unexplained)
      const left = new NetMoves()
      for (const { from, to, token, amount } of moves) left.move(from, to, token, amount)
      for (const { from, to, token, amount } of paid) {
        expect(amount > 0n).toBe(true)
        left.move(to, from, token, amount)
      }
      expect(settle(left)).toEqual([])
      const givers = new Set(paid.map(({ from, token }) => `${from} ${token}`))
      for (const { to, token } of paid) expect(givers).not.toContain(`${to} ${token}`)
    }),
  )
})
