import { CONTRACTS, type Contract, type ContractRole } from './contracts.js'
import {
  CONDITIONAL_TOKENS_EVENTS,
  ERC1155_EVENTS,
  NEG_RISK_ADAPTER_EVENTS,
  NEG_RISK_OPERATOR_EVENTS,
} from './decode-conditional-tokens.js'
import { EXCHANGE_EVENTS, EXCHANGE_V1_EVENTS, FEE_MODULE_EVENTS } from './decode-exchange.js'
import {
  COMBINATORIAL_MODULE_EVENTS,
  MODULE_EVENTS,
  NEG_RISK_MODULE_EVENTS,
  ROUTER_EVENTS,
} from './decode-modules.js'
import { OPTIMISTIC_ORACLE_EVENTS, UMA_ADAPTER_EVENTS, UMA_ADAPTER_V1_EVENTS } from './decode-oracle.js'
import {
  AUTO_REDEEMER_EVENTS,
  ERC20_EVENTS,
  FPMM_FACTORY_EVENTS,
  PUSD_EVENTS,
  RELAY_HUB_EVENTS,
  SAFE_FACTORY_EVENTS,
} from './decode-wallets.js'
import type { EventDecoder } from './event.js'
import type { LogPosition } from './log.js'

/**
 * The events of each role. The same hash means different things in different contracts, so an event
 * is found by its emitter first and by its hash second.
 */
export const ROLE_EVENTS = {
  conditionalTokens: CONDITIONAL_TOKENS_EVENTS,
  exchangeV1: EXCHANGE_V1_EVENTS,
  exchange: EXCHANGE_EVENTS,
  feeModule: FEE_MODULE_EVENTS,
  negRiskAdapter: NEG_RISK_ADAPTER_EVENTS,
  negRiskOperator: NEG_RISK_OPERATOR_EVENTS,
  umaAdapterV1: UMA_ADAPTER_V1_EVENTS,
  umaAdapter: UMA_ADAPTER_EVENTS,
  optimisticOracle: OPTIMISTIC_ORACLE_EVENTS,
  pusd: PUSD_EVENTS,
  erc20: ERC20_EVENTS,
  positionManager: ERC1155_EVENTS,
  binaryModule: MODULE_EVENTS,
  negRiskModule: NEG_RISK_MODULE_EVENTS,
  combinatorialModule: COMBINATORIAL_MODULE_EVENTS,
  router: ROUTER_EVENTS,
  autoRedeemer: AUTO_REDEEMER_EVENTS,
  safeFactory: SAFE_FACTORY_EVENTS,
  relayHub: RELAY_HUB_EVENTS,
  fpmmFactory: FPMM_FACTORY_EVENTS,
} as const satisfies {
  [Name in ContractRole]?: readonly EventDecoder<{ kind: string; at: LogPosition }>[]
}

type Decoders = (typeof ROLE_EVENTS)[keyof typeof ROLE_EVENTS][number]

/** A log of a known contract with an event that has no decoder. Kept raw, so that a later version can decode it. */
export type UnknownEvent = {
  kind: 'unknown'
  at: LogPosition
  topics: readonly string[]
  data: string
}

/**
 * A log as its contract means it. Addresses are lower-case, amounts are bigint in millionths, and every id or hash
 * is the hex text of the log: text is quick to look up, and decimal ids are a matter of output.
 */
export type DecodedEvent = ReturnType<Decoders['decode']> | UnknownEvent

/** The decoded events of one kind: `DecodedEventOf<'fill'>`. */
export type DecodedEventOf<Kind extends DecodedEvent['kind']> = Extract<DecodedEvent, { kind: Kind }>

type Emitter = { contract: Contract; events: readonly EventDecoder<DecodedEvent>[] }

export const EMITTERS: ReadonlyMap<string, Emitter> = new Map(
  CONTRACTS.map((contract) => [contract.address, { contract, events: eventsOf(contract.role) }]),
)

function eventsOf(role: ContractRole): readonly EventDecoder<DecodedEvent>[] {
  return role in ROLE_EVENTS ? ROLE_EVENTS[role as keyof typeof ROLE_EVENTS] : []
}
