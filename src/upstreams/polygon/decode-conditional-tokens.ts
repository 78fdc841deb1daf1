import { START, WORD } from './abi.js'
import { address, bool, bytes, event, handwritten, uint, uints, word } from './event.js'
import type { LogReader } from './fast/log-reader.js'
import type { LogPosition } from './log.js'

/** Outcome tokens changed hands; the zero address makes and destroys them. */
const transferSingle = handwritten(
  'transferSingle',
  '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62',
  { indexed: 3, words: 2 },
  (log, at) => ({
    kind: 'transferSingle' as const,
    at,
    operator: log.topicAddress(1),
    from: log.topicAddress(2),
    to: log.topicAddress(3),
    id: log.id(START),
    value: log.uint(START + WORD),
  }),
)

const transferBatch = handwritten(
  'transferBatch',
  '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb',
  { indexed: 3, words: 2, isDynamic: true },
  (log, at) => ({
    kind: 'transferBatch' as const,
    at,
    operator: log.topicAddress(1),
    from: log.topicAddress(2),
    to: log.topicAddress(3),
    // As long as `values` only if the contract made them so: compare before use.
    ids: log.array(START, word.data),
    values: log.array(START + WORD, uint.data),
  }),
)

const SET_SHAPE = { indexed: 3, words: 3, isDynamic: true }

const ctfSplit = handwritten(
  'ctfSplit',
  '0x2e6bb91f8cbcda0c93623c54d0403a43514fabc40084ec96b6d5379a74786298',
  SET_SHAPE,
  (log, at) => toFullSet('ctfSplit', log, at),
)

const ctfMerge = handwritten(
  'ctfMerge',
  '0x6f13ca62553fcc2bcd2372180a43949c1e4cebba603901ede2f4e14f36b282ca',
  SET_SHAPE,
  (log, at) => toFullSet('ctfMerge', log, at),
)

/** Collateral became a full set of outcome tokens, or a full set became collateral. */
function toFullSet<const Kind extends string>(kind: Kind, log: LogReader, at: LogPosition) {
  return {
    kind,
    at,
    stakeholder: log.topicAddress(1),
    parentCollectionId: log.topicId(2),
    conditionId: log.topicId(3),
    collateralToken: log.address(START),
    partition: log.array(START + WORD, uint.data),
    amount: log.uint(START + 2 * WORD),
  }
}

const approvalForAll = event(
  'approvalForAll',
  '0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31',
  { topics: { owner: address, operator: address }, data: { approved: bool } },
)

/** The ERC-1155 part, which the manager of structured positions shares. */
export const ERC1155_EVENTS = [transferSingle, transferBatch, approvalForAll] as const

export const CONDITIONAL_TOKENS_EVENTS = [
  ...ERC1155_EVENTS,
  ctfSplit,
  ctfMerge,
  event('conditionPreparation', '0xab3760c3bd2bb38b5bcf54dc79802ed67338b4cf29f3054ded67ed24661e4177', {
    topics: { conditionId: word, oracle: address, questionId: word },
    data: { outcomeSlotCount: uint },
  }),
  event('conditionResolution', '0xb44d84d3289691f71497564b85d4233648d9dbae8cbdbb4329f301c3a0185894', {
    topics: { conditionId: word, oracle: address, questionId: word },
    data: { outcomeSlotCount: uint, payoutNumerators: uints },
  }),
  event('ctfRedemption', '0x2682012a4a4f1973119f1c9b90745d1bd91fa2bab387344f044cb3586864d18d', {
    topics: { redeemer: address, collateralToken: address, parentCollectionId: word },
    data: { conditionId: word, indexSets: uints, payout: uint },
  }),
] as const

export const NEG_RISK_ADAPTER_EVENTS = [
  event('negRiskMarketPrepared', '0xf059ab16d1ca60e123eab60e3c02b68faf060347c701a5d14885a8e1def7b3a8', {
    topics: { marketId: word, oracle: address },
    data: { feeBips: uint, data: bytes },
  }),
  event('negRiskQuestionPrepared', '0xaac410f87d423a922a7b226ac68f0c2eaf5bf6d15e644ac0758c7f96e2c253f7', {
    topics: { marketId: word, questionId: word },
    data: { index: uint, data: bytes },
  }),
  event('negRiskOutcomeReported', '0x9e9fa7fd355160bd4cd3f22d4333519354beff1f5689bde87f2c5e63d8d484b2', {
    topics: { marketId: word, questionId: word },
    data: { outcome: bool },
  }),
  event('negRiskSplit', '0xbbed930dbfb7907ae2d60ddf78345610214f26419a0128df39b6cc3d9e5df9b0', {
    topics: { stakeholder: address, conditionId: word },
    data: { amount: uint },
  }),
  event('negRiskMerge', '0xba33ac50d8894676597e6e35dc09cff59854708b642cd069d21eb9c7ca072a04', {
    topics: { stakeholder: address, conditionId: word },
    data: { amount: uint },
  }),
  // Bit i of the index set: the NO token of question i was converted.
  event('negRiskConversion', '0xb03d19dddbc72a87e735ff0ea3b57bef133ebe44e1894284916a84044deb367e', {
    topics: { stakeholder: address, marketId: word, indexSet: uint },
    data: { amount: uint },
  }),
  // The amounts are those of YES and NO.
  event('negRiskRedemption', '0x9140a6a270ef945260c03894b3c6b3b2695e9d5101feef0ff24fec960cfd3224', {
    topics: { redeemer: address, conditionId: word },
    data: { amounts: uints, payout: uint },
  }),
  event('negRiskNewAdmin', '0xf9ffabca9c8276e99321725bcb43fb076a6c66a54b7f21c4e8146d8519b417dc', {
    topics: { admin: address, newAdminAddress: address },
  }),
] as const

/** `requestId` is the id of the question in the UMA adapter. */
export const NEG_RISK_OPERATOR_EVENTS = [
  event('operatorMarketPrepared', '0x8138c0666fe0f752ff38486f542284f127aef02642c9c8db716ee1088839eeb0', {
    topics: { marketId: word },
    data: { feeBips: uint, data: bytes },
  }),
  event('operatorQuestionPrepared', '0xcdc45423ec79c60a3fe3de57272e598d71a4ec88822e822ac8e134184a8435aa', {
    topics: { marketId: word, questionId: word, requestId: word },
    data: { questionIndex: uint, data: bytes },
  }),
  event('operatorQuestionFlagged', '0x2435a0347185933b12027c6f394a5fd9c03646dba233e956f50658719dfc0b35', {
    topics: { questionId: word },
  }),
  event('operatorQuestionUnflagged', '0x052435bc04fc49113a7bfd9198a92c0852ca622a621800f6da66d4b29b786c05', {
    topics: { questionId: word },
  }),
  event('operatorQuestionReported', '0x504306b41b2531b3fd2bc5e1b32dc1fc87501906cfc63c1180e3873af20f0eae', {
    topics: { questionId: word },
    data: { requestId: word, result: bool },
  }),
  event('operatorQuestionResolved', '0x5c3937ed929cd157b73b417381d743daf6e1ef65999e3ccb5dd64bc3247e28d6', {
    topics: { questionId: word },
    data: { result: bool },
  }),
  event(
    'operatorQuestionEmergencyResolved',
    '0xd1aea2ca9d3458614d11a93a203dd9fabbd3576aeb841422c46e235637333cb9',
    { topics: { questionId: word }, data: { result: bool } },
  ),
] as const
