import { CONTRACTS, type ContractRole } from '../../upstreams/polygon/contracts.js'

export const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

const ROLES: ReadonlyMap<string, ContractRole> = new Map(
  CONTRACTS.map(({ address, role }) => [address, role]),
)

/** `undefined`: not in the table of contracts. */
export const roleOf = (address: string): ContractRole | undefined => ROLES.get(address)

/** A contract of the table, or the zero address. */
export const isProtocol = (address: string): boolean => ROLES.has(address) || address === ZERO_ADDRESS

export const isExchange = hasRole('exchange', 'exchangeV1')
export const isAutoRedeemer = hasRole('autoRedeemer', 'legacyAutoRedeemer')
export const isModule = hasRole('binaryModule', 'negRiskModule', 'combinatorialModule')

/** Contracts that act in their own name for their caller, and pass the tokens on. */
export const isIntermediary = hasRole(
  'negRiskAdapter',
  'collateralAdapter',
  'autoRedeemer',
  'legacyAutoRedeemer',
  'router',
)

export const NEG_RISK_ADAPTER = addressOf('negRiskAdapter')
export const NEG_RISK_BURN = addressOf('negRiskBurn')
export const PROXY_FACTORY = addressOf('proxyFactory')
export const PERPS = addressOf('perps')
export const PUSD = addressOf('pusd')

/** The collateral of outcome tokens: USDC.e, and the wrapped collateral of neg-risk markets. */
export const COLLATERALS: ReadonlySet<string> = new Set(
  CONTRACTS.filter(({ role, generation }) => role === 'erc20' && generation === 1).map(
    ({ address }) => address,
  ),
)

function hasRole(...roles: ContractRole[]): (address: string) => boolean {
  const having = CONTRACTS.filter(({ role }) => roles.includes(role))
  const addresses = new Set(having.map(({ address }) => address))
  return (address) => addresses.has(address)
}

function addressOf(wanted: ContractRole): string {
  const found = CONTRACTS.find(({ role }) => role === wanted)
  if (found === undefined) throw new Error('a contract is missing from the table')
  return found.address
}
