import type { Act } from '../../sim/universe/acts.js'
import { readDoneActs } from '../../src/wallets/test-acts.js'
import type { ApiWorld } from '../api-world.js'
import { mostCommon } from '../most-common.js'
import type { Request } from './explain-request.js'

/** The wallet that did most of this kind. */
function busiest({ universe }: ApiWorld, kind: Act['kind']): string {
  const acts = readDoneActs(universe).map(({ act }) => act)
  return mostCommon(acts.flatMap((act) => (act.kind === kind && 'wallet' in act ? [act.wallet.address] : [])))
}

const listed = (name: string, kind: Act['kind']): Request => ({
  title: `/v3/wallets/{address}/${name}`,
  path: (world) => `/v3/wallets/${busiest(world, kind)}/${name}`,
})

export const EXPLAINED_WALLETS: Request[] = [
  listed('splits', 'split'),
  listed('merges', 'merge'),
  listed('nrc', 'convert'),
  listed('redemptions', 'redeem'),
]
