import { expect, test } from 'vitest'
import { walletAddress } from '../../../sim/contracts/wallet-addresses.js'
import vectors from './fixtures/chain-vectors.json' with { type: 'json' }
import { deriveDepositWallets, deriveProxyWallet, deriveSafe, readDepositOwner } from './wallet-addresses.js'

const onPolygon = vectors.wallet_derivation.filter((vector) => vector.factory === undefined)

test.each(onPolygon)('wallets of $eoa', (vector) => {
  const owner = vector.eoa.toLowerCase()
  const [older, current] = deriveDepositWallets(owner)
  const derived: [string, string | undefined][] = [
    [deriveProxyWallet(owner), vector.proxy],
    [deriveSafe(owner), vector.safe],
    [current, vector.deposit_wallet_beacon],
    [older, vector.deposit_wallet_uups],
  ]
  for (const [address, published] of derived)
    if (published !== undefined) expect(address).toBe(published.toLowerCase())
})

test.each(['0x1234567890abcdef1234567890abcdef12345678', '0x1234567890abcdef1234567890abcdef12345670'])(
  'the simulated factories give the same addresses to %s',
  (owner) => {
    expect(walletAddress('safe', owner)).toBe(deriveSafe(owner))
    expect(walletAddress('proxy', owner)).toBe(deriveProxyWallet(owner))
    const [older, current] = deriveDepositWallets(owner)
    expect(walletAddress('deposit', owner)).toBe(owner.endsWith('0') ? older : current)
  },
)

test('the code of a deposit wallet ends in its owner, that of others does not', () => {
  const owner = `0x${'ab'.repeat(20)}`
  const factory = `${'0'.repeat(24)}00000000000fb5c9adea0298d729a0cb3823cc07`
  const args = `${factory}${'0'.repeat(24)}${'ab'.repeat(20)}`
  expect(readDepositOwner(`0x363d3d${args}`)).toBe(owner)
  for (const code of ['0x', '0x363d', `0x363d3d${args}00`, `0x${'ab'.repeat(100)}`])
    expect(readDepositOwner(code)).toBeUndefined()
})
