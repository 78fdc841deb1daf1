import { PUSD } from '../chain/attribute/roles.js'
import { CONTRACTS } from '../upstreams/polygon/contracts.js'
import { readStructuredId } from './structured-id.js'

/** What the tokens of a condition are made from. */
export function collateralOf(condition: string, negRisk: boolean): string | undefined {
  if (readStructuredId(condition) !== undefined) return PUSD
  return negRisk ? WRAPPED_COLLATERAL : USDC_E
}

const USDC_E = backing(false)
const WRAPPED_COLLATERAL = backing(true)

function backing(isNegRisk: boolean): string | undefined {
  return CONTRACTS.find(
    ({ role, generation, negRisk }) =>
      role === 'erc20' && generation === 1 && negRisk === isNegRisk,
  )?.address
}
