import { expect, test } from 'vitest'
import vectors from './fixtures/chain-vectors.json' with { type: 'json' }
import { depositWalletAddress, walletAddress } from './wallet-addresses.js'

const onPolygon = vectors.wallet_derivation.filter((vector) => vector.factory === undefined)

test.each(onPolygon)('wallets of $eoa', (vector) => {
  const { proxy, safe, deposit_wallet_beacon, deposit_wallet_uups } = vector
  const owner = vector.eoa.toLowerCase()
  if (proxy) expect(walletAddress('proxy', owner)).toBe(proxy.toLowerCase())
  if (safe) expect(walletAddress('safe', owner)).toBe(safe.toLowerCase())
  if (deposit_wallet_beacon) {
    expect(walletAddress('deposit', owner)).toBe(deposit_wallet_beacon.toLowerCase())
  }
  if (deposit_wallet_uups) {
    expect(depositWalletAddress(owner, true)).toBe(deposit_wallet_uups.toLowerCase())
  }
  expect(walletAddress('eoa', owner)).toBe(owner)
})
