import { Rng } from '../../sim/universe/random.js'
import type { UniverseReady } from './universe.js'

/** The webhooks of the bench: as many accounts would have them. Together they match each fill a few times. */
export const WEBHOOKS = 1_000

type Draft = { event_types: string[]; filters: object }

/** What each of the thousand asks for. One of them wants every trade. */
function draftWebhook(number: number, known: UniverseReady): Draft {
  const rng = new Rng(number, 1)
  const some = (from: readonly string[], count: number) => pick(rng, from, count)
  const kind = number % 100
  if (number === 0) return { event_types: ['trade'], filters: {} }
  // Copiers of a few traders.
  if (kind < 55) {
    return { event_types: ['trade'], filters: { wallet_addresses: some(known.takers, 4) } }
  }
  // Desks with a long list of wallets, for large amounts only.
  if (kind < 65) {
    const filters = { wallet_addresses: some(known.takers, 100), min_amount_usd: 10_000 }
    return { event_types: ['trade'], filters }
  }
  // Followers of some questions.
  if (kind < 85) {
    const filters = { condition_ids: some(known.conditions, 3), min_amount_usd: 1_000 }
    return { event_types: ['trade'], filters }
  }
  if (kind < 95) {
    const filters = { min_amount_usd: 5_000 + rng.below(45_000) }
    return { event_types: ['large_trade'], filters }
  }
  if (kind < 98) {
    const filters = { builder_codes: some(known.builders, 1), min_amount_usd: 20 }
    return { event_types: ['builder_trade'], filters }
  }
  // People who watch a wallet of their own.
  const event_types = ['wallet_activity', 'position_status_change', 'pnl_change']
  return { event_types, filters: { wallet_addresses: some(known.takers, 1) } }
}

const CREATES_AT_ONCE = 8

type Creation = { keys: readonly string[]; count: number; receiverPort: number; known: UniverseReady }

/** Creates the first `count` of them by the API of the service, with the keys round-robin. */
export async function createWebhooks(
  url: string,
  { keys, count, receiverPort, known }: Creation,
): Promise<void> {
  const numbers = Array.from({ length: count }, (_, number) => number)
  const create = async () => {
    for (let number = numbers.pop(); number !== undefined; number = numbers.pop()) {
      const draft = { url: `http://127.0.0.1:${receiverPort}/${number}`, ...draftWebhook(number, known) }
      const reply = await fetch(`${url}/v3/webhooks`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${keys[number % keys.length]}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(draft),
      })
      if (reply.status !== 201) throw new Error(`${reply.status} ${await reply.text()}`)
      await reply.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: CREATES_AT_ONCE }, create))
}

function pick(rng: Rng, from: readonly string[], count: number): string[] {
  const picked = new Set<string>()
  while (picked.size < Math.min(count, from.length)) picked.add(from[rng.below(from.length)] ?? '')
  return [...picked]
}
