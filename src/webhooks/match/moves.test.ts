import fc from 'fast-check'
import { expect, test } from 'vitest'
import { histories } from '../../ledger/test-histories.js'
import { foldAll } from '../../ledger/test-read-books.js'
import { movesOf } from './position-steps.js'

test('the moves of a history add up to the balances of the ledger', () => {
  fc.assert(
    fc.property(histories, (entries) => {
      const balances = new Map<string, bigint>()
      for (const { wallet, token, amount } of entries.flatMap(movesOf)) {
        const key = `${wallet} ${token}`
        balances.set(key, (balances.get(key) ?? 0n) + amount)
      }
      for (const { wallet, token, balance } of foldAll(entries).rows.positions) {
        expect(balances.get(`${wallet} ${token}`) ?? 0n).toBe(balance)
      }
    }),
  )
})
