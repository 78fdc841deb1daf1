import {
  AUTO_REDEEMER,
  BINARY_MODULE,
  COMBINATORIAL_MODULE,
  CTF,
  EXCHANGE_V1,
  EXCHANGE_V2,
  EXCHANGE_V3,
  FEE_MODULE,
  NEG_RISK_ADAPTER,
  NEG_RISK_EXCHANGE_V1,
  NEG_RISK_EXCHANGE_V2,
  NEG_RISK_FEE_MODULE,
  NEG_RISK_OPERATOR,
  POSITION_MANAGER,
  PUSD,
  ROUTER,
  UMA_ADAPTERS,
  USDCE,
  WCOL,
} from './contracts.js'
import type { RawLog } from './log.js'

/** `undefined`: no event that we know. */
export function eventOf({ address, topics }: RawLog): EventName | undefined {
  return EVENT_BY_TOPIC.get(topics[0] ?? '')?.get(address)
}

/** Contracts and topics that say nothing of shares, money or results. */
export function saysNothing({ address, topics }: RawLog): boolean {
  return SILENT.has(address) || SILENT_TOPICS.has(topics[0] ?? '')
}

export type EventName = keyof typeof EVENTS

const V1 = [EXCHANGE_V1, NEG_RISK_EXCHANGE_V1]
const V2 = [EXCHANGE_V2, NEG_RISK_EXCHANGE_V2, EXCHANGE_V3]
const MODULES = [BINARY_MODULE, COMBINATORIAL_MODULE]
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const TRANSFER_SINGLE = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62'
const TRANSFER_BATCH = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb'
const APPROVAL = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925'
const APPROVAL_FOR_ALL = '0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31'
const QUESTION_RESET = '0x7981b5832932948db4e32a4a16a0f44b2ce7ff088574afb9364b313f70f82e8f'
const SILENT_TOPICS = new Set([APPROVAL, APPROVAL_FOR_ALL, QUESTION_RESET])

export const EVENTS = {
  'USDC.e Transfer': [TRANSFER, [USDCE]],
  'WCOL Transfer': [TRANSFER, [WCOL]],
  'pUSD Transfer': [TRANSFER, [PUSD]],
  'pUSD Wrapped': ['0xc00a5c84859ae82a7f5e6a2773283fb525335d5b3195f61174aa1ecc7e15dd84', [PUSD]],
  'pUSD Unwrapped': ['0x18b42b684d0b621cc609f4d888916e5ed9e934a476259ec1c11ec116f2b9aa7f', [PUSD]],

  'CTF TransferSingle': [TRANSFER_SINGLE, [CTF]],
  'CTF TransferBatch': [TRANSFER_BATCH, [CTF]],
  'PositionManager TransferSingle': [TRANSFER_SINGLE, [POSITION_MANAGER]],
  'PositionManager TransferBatch': [TRANSFER_BATCH, [POSITION_MANAGER]],

  'CTF ConditionPreparation': ['0xab3760c3bd2bb38b5bcf54dc79802ed67338b4cf29f3054ded67ed24661e4177', [CTF]],
  'CTF ConditionResolution': ['0xb44d84d3289691f71497564b85d4233648d9dbae8cbdbb4329f301c3a0185894', [CTF]],
  'CTF PositionSplit': ['0x2e6bb91f8cbcda0c93623c54d0403a43514fabc40084ec96b6d5379a74786298', [CTF]],
  'CTF PositionsMerge': ['0x6f13ca62553fcc2bcd2372180a43949c1e4cebba603901ede2f4e14f36b282ca', [CTF]],
  'CTF PayoutRedemption': ['0x2682012a4a4f1973119f1c9b90745d1bd91fa2bab387344f044cb3586864d18d', [CTF]],
  'UMA QuestionInitialized': [
    '0xeee0897acd6893adcaf2ba5158191b3601098ab6bece35c5d57874340b64c5b7',
    UMA_ADAPTERS,
  ],
  'UMA QuestionResolved': [
    '0x566c3fbdd12dd86bb341787f6d531f79fd7ad4ce7e3ae2d15ac0ca1b601af9df',
    UMA_ADAPTERS,
  ],

  'V1 OrderFilled': ['0xd0a08e8c493f9c94f29311604c9de1b4e8c8d4c06bd0c789af57f2d65bfec0f6', V1],
  'V1 OrdersMatched': ['0x63bf4d16b7fa898ef4c4b2b6d90fd201e9c56313b65638af6088d149d2ce956c', V1],
  'V1 FeeCharged': ['0xacffcc86834d0f1a64b0d5a675798deed6ff0bcfc2231edd3480e7288dba7ff4', V1],
  'V1 FeeRefunded': [
    '0xb608d2bf25d8b4b744ba23ce2ea9802ea955e216c064a62f42152fbf98958d24',
    [FEE_MODULE, NEG_RISK_FEE_MODULE],
  ],
  'V1 TokenRegistered': ['0xbc9a2432e8aeb48327246cddd6e872ef452812b4243c04e6bfb786a2cd8faf0d', V1],
  'V2 OrderFilled': ['0xd543adfd945773f1a62f74f0ee55a5e3b9b1a28262980ba90b1a89f2ea84d8ee', V2],
  'V2 OrdersMatched': ['0x174b3811690657c217184f89418266767c87e4805d09680c39fc9c031c0cab7c', V2],
  'V2 FeeCharged': ['0x55bb3cade9d43b798a4fe5ffdd05024b2d7870df53920673bfc7e68047cd0ab1', V2],

  'NegRisk MarketPrepared': [
    '0xf059ab16d1ca60e123eab60e3c02b68faf060347c701a5d14885a8e1def7b3a8',
    [NEG_RISK_ADAPTER],
  ],
  'NegRisk QuestionPrepared': [
    '0xaac410f87d423a922a7b226ac68f0c2eaf5bf6d15e644ac0758c7f96e2c253f7',
    [NEG_RISK_ADAPTER],
  ],
  'NegRisk OutcomeReported': [
    '0x9e9fa7fd355160bd4cd3f22d4333519354beff1f5689bde87f2c5e63d8d484b2',
    [NEG_RISK_ADAPTER],
  ],
  'NegRisk PositionSplit': [
    '0xbbed930dbfb7907ae2d60ddf78345610214f26419a0128df39b6cc3d9e5df9b0',
    [NEG_RISK_ADAPTER],
  ],
  'NegRisk PositionsMerge': [
    '0xba33ac50d8894676597e6e35dc09cff59854708b642cd069d21eb9c7ca072a04',
    [NEG_RISK_ADAPTER],
  ],
  'NegRisk PayoutRedemption': [
    '0x9140a6a270ef945260c03894b3c6b3b2695e9d5101feef0ff24fec960cfd3224',
    [NEG_RISK_ADAPTER],
  ],
  'NegRisk PositionsConverted': [
    '0xb03d19dddbc72a87e735ff0ea3b57bef133ebe44e1894284916a84044deb367e',
    [NEG_RISK_ADAPTER],
  ],

  'Module MigrationConditionRegistered': [
    '0x0da49435dfd3b856758ee0b1a2500f1e8062fed24dd654594af9fa163cc5bcb4',
    [BINARY_MODULE],
  ],
  'Module MigrationResolved': [
    '0xf87100968b0fe70751acf87590ffac515231c5b999cba36e6820c7d312dcc8af',
    [BINARY_MODULE],
  ],
  'Module ConditionResolved': [
    '0xe560c1a2847d4cf2e66de11fe592605556989449f38cc3ab96e2e287daa68caa',
    [BINARY_MODULE],
  ],
  'Module ResultReported': [
    '0x669c053fe14f2493990c0c90d8d2870cd45e2630b34b8a2b4f02869301987713',
    [BINARY_MODULE],
  ],
  'Module PositionMigrated': [
    '0xe8d329e97d555e1e9d0da49d3b12d41a966458eee02ff4c869e54c6711d7c80b',
    [BINARY_MODULE],
  ],
  'Module LegacyCollateralSettled': [
    '0x7a07cc3efaf017520e4ad55e66052f0398632c810a3fab73e58e4c7050746825',
    [BINARY_MODULE],
  ],
  'Module CombinatorialConditionPrepared': [
    '0x51c89d7ee51515f7235e928930da7f81be08212bc14870a6a37c64744492db96',
    [COMBINATORIAL_MODULE],
  ],
  'Module PositionsSplit': ['0xb6a6b8b17a43b07b9359dd12d304e42077eede9e672f8646144842c8604582a4', MODULES],
  'Module PositionsMerged': ['0xf233f7be4ce81130a78e8eb2fa626497586c56094d27bfec2e196471e9c60301', MODULES],
  'Module PositionRedeemed': ['0x4fd474b703f46b453536518b4cbc159dfbea6fd663233763d321a9bc8ccdf97f', MODULES],

  'AutoRedeemer Redemption': [
    '0xeebddeddf4ae1ee54a48517af27958e7666d69c7ba2e3e7c2b0ff87ef5f4491e',
    [AUTO_REDEEMER],
  ],
  'AutoRedeemer BinaryRedemption': [
    '0xb434294b5904213c83a167af0068ab82637c6fd4fac945e2abc74ed8d3f4d52a',
    [AUTO_REDEEMER],
  ],
  'AutoRedeemer NegRiskRedemption': [
    '0x74a51ebefec30281ec6849b727ec7916f9b1a3e5e148d6771d98315215b38b96',
    [AUTO_REDEEMER],
  ],
} as const satisfies Record<string, readonly [string, readonly string[]]>

/** Oracles, factories of wallets, and two that repeat what others say. */
const SILENT: ReadonlySet<string> = new Set([
  NEG_RISK_OPERATOR,
  ROUTER,
  '0xee3afe347d5c74317041e2618c49534daf887c24',
  '0x2c0367a9db231ddebd88a94b4f6461a6e47c58b1',
  '0xaacfeea03eb1561c4e67d661e40682bd20e3541b',
  '0x00000000000fb5c9adea0298d729a0cb3823cc07',
  '0xd216153c06e857cd7f72665e0af1d7d82172f494',
])

const EVENT_BY_TOPIC = new Map<string, Map<string, EventName>>()
for (const name of Object.keys(EVENTS) as EventName[]) {
  const [topic, contracts] = EVENTS[name]
  const byContract = EVENT_BY_TOPIC.get(topic) ?? new Map<string, EventName>()
  for (const contract of contracts) byContract.set(contract, name)
  EVENT_BY_TOPIC.set(topic, byContract)
}
