import { FAULT_MODES, HOST_NAMES } from '../../sim/server/fault-order.js'
import { Rng } from '../../sim/universe/random.js'

const REORG_CHANCE = 0.12
const EVERYTHING_CHANCE = 0.06

/** Switches something at the simulator's control port. */
export async function order(simUrl: string, body: object): Promise<void> {
  const reply = await fetch(`${simUrl}/faults`, { method: 'POST', body: JSON.stringify(body) })
  if (!reply.ok) throw new Error(`the simulator refused ${JSON.stringify(body)}: ${await reply.text()}`)
}

/** One more fault at random: somewhere, or everywhere, for a while; or a reorganisation. */
export function drawFault(rng: Rng): object {
  if (rng.chance(REORG_CHANCE)) return { reorg: 1 + rng.below(12) }
  const upstream = rng.chance(EVERYTHING_CHANCE) ? '*' : rng.pick(HOST_NAMES)
  const seconds = Math.ceil(rng.between(2, 20))
  return {
    upstream,
    mode: rng.pick(FAULT_MODES),
    seconds,
    rate: rng.chance(0.5) ? 1 : rng.between(0.2, 0.9),
  }
}

export const createRng = (seed: number): Rng => new Rng(seed, 1)
