import { describe, expect, test } from 'vitest'
import { chooseWallet, deriveWallets, type IdentityWallet } from './identity.js'

const OWNER = `0x${'1'.repeat(40)}`
const [older, current, safe, proxy] = deriveWallets(OWNER).map(({ address }) => address)

/** The wallets of the key, these of them deployed. */
const wallets = (...deployed: (string | undefined)[]): IdentityWallet[] =>
  deriveWallets(OWNER).map((wallet) => ({
    ...wallet,
    isDeployed: deployed.includes(wallet.address),
  }))

test('a key has four addresses, two of them deposit wallets', () => {
  expect(deriveWallets(OWNER).map(({ type }) => type)).toEqual([
    'deposit_wallet',
    'deposit_wallet',
    'safe',
    'proxy',
  ])
  expect(new Set([older, current, safe, proxy]).size).toBe(4)
})

describe('the wallet in use', () => {
  test.each([
    ['a deployed deposit wallet, whatever was requested', [current, safe], safe, current],
    ['the older one of two deposit wallets', [older, current, proxy], OWNER, older],
    ['the requested wallet', [safe, proxy], proxy, proxy],
    ['the Safe before the proxy for the key', [safe, proxy], OWNER, safe],
    ['the proxy alone', [proxy], OWNER, proxy],
    ['the requested wallet, before it is deployed', [], proxy, proxy],
    ['none that is deployed, requested by the key', [], OWNER, undefined],
  ])('%s', (_what, deployed, requested, address) => {
    expect(chooseWallet(wallets(...deployed), requested ?? '')?.address).toBe(address)
  })
})
