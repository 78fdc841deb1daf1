import { CONTRACTS, type Contract, type ContractRole } from '../../upstreams/polygon/contracts.js'

export const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

const ROLES: ReadonlyMap<string, ContractRole> = new Map(
  CONTRACTS.map(({ address, role }) => [address, role]),
)

/** `undefined`: not in the table of contracts. */
export const roleOf = (address: string): ContractRole | undefined => ROLES.get(address)

/** A contract of the table, or the zero address. */
export const isProtocol = (address: string): boolean =>
  ROLES.has(address) || address === ZERO_ADDRESS

export const isExchange = (address: string): boolean => {
  const role = ROLES.get(address)
  return role === 'exchange' || role === 'exchangeV1'
}

export const isAutoRedeemer = (address: string): boolean => {
  const role = ROLES.get(address)
  return role === 'autoRedeemer' || role === 'legacyAutoRedeemer'
}

/** Contracts that act in their own name for their caller, and pass the tokens on. */
const INTERMEDIARIES = new Set<ContractRole | undefined>([
  'negRiskAdapter',
  'collateralAdapter',
  'autoRedeemer',
  'legacyAutoRedeemer',
  'router',
])

export const isIntermediary = (address: string): boolean => INTERMEDIARIES.has(ROLES.get(address))

const MODULES = new Set<ContractRole | undefined>([
  'binaryModule',
  'negRiskModule',
  'combinatorialModule',
])

export const isModule = (address: string): boolean => MODULES.has(ROLES.get(address))

export const NEG_RISK_ADAPTER = addressOf(({ role }) => role === 'negRiskAdapter')
export const NEG_RISK_BURN = addressOf(({ role }) => role === 'negRiskBurn')
export const PROXY_FACTORY = addressOf(({ role }) => role === 'proxyFactory')
export const PERPS = addressOf(({ role }) => role === 'perps')
export const PUSD = addressOf(({ role }) => role === 'pusd')

/** The collateral of outcome tokens: USDC.e, and the wrapped collateral of neg-risk markets. */
export const COLLATERALS: ReadonlySet<string> = new Set(
  CONTRACTS.filter(({ role, generation }) => role === 'erc20' && generation === 1).map(
    ({ address }) => address,
  ),
)

function addressOf(matches: (contract: Contract) => boolean): string {
  const found = CONTRACTS.find(matches)
  if (found === undefined) throw new Error('a contract is missing from the table')
  return found.address
}
