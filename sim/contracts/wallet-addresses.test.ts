import { expect, test } from 'vitest'
import vectors from './fixtures/chain-vectors.json' with { type: 'json' }
import { walletAddress } from './wallet-addresses.js'

const onPolygon = vectors.wallet_derivation.filter((vector) => vector.factory === undefined)

test.each(onPolygon)('wallets of $eoa', ({ eoa, proxy, safe, deposit_wallet_beacon }) => {
  const owner = eoa.toLowerCase()
  if (proxy) expect(walletAddress('proxy', owner)).toBe(proxy.toLowerCase())
  if (safe) expect(walletAddress('safe', owner)).toBe(safe.toLowerCase())
  if (deposit_wallet_beacon) {
    expect(walletAddress('deposit', owner)).toBe(deposit_wallet_beacon.toLowerCase())
  }
  expect(walletAddress('eoa', owner)).toBe(owner)
})
