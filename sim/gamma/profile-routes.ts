import type { Gamma } from './gamma.js'
import { presentProfile } from './present-profile.js'
import { notFound, Refusal } from './refusal.js'

export function showProfile({ universe }: Gamma, query: URLSearchParams): object {
  const address = query.get('address') ?? ''
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) {
    throw new Refusal(400, 'validation error', 'invalid address')
  }
  const wallet = universe.walletByAddress(address.toLowerCase())
  if (wallet === undefined || wallet.createdMs > universe.nowMs) throw notFound('profile not found')
  return presentProfile(wallet)
}
