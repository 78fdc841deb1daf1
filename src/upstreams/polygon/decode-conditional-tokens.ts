import { ctfMerge, ctfSplit } from './decode-sets.js'
import { transferBatch, transferSingle } from './decode-transfers.js'
import { address, bool, event, uint, uints, word } from './event.js'

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
  event(
    'conditionPreparation',
    '0xab3760c3bd2bb38b5bcf54dc79802ed67338b4cf29f3054ded67ed24661e4177',
    {
      topics: { conditionId: word, oracle: address, questionId: word },
      data: { outcomeSlotCount: uint },
    },
  ),
  event(
    'conditionResolution',
    '0xb44d84d3289691f71497564b85d4233648d9dbae8cbdbb4329f301c3a0185894',
    {
      topics: { conditionId: word, oracle: address, questionId: word },
      data: { outcomeSlotCount: uint, payoutNumerators: uints },
    },
  ),
  event('ctfRedemption', '0x2682012a4a4f1973119f1c9b90745d1bd91fa2bab387344f044cb3586864d18d', {
    topics: { redeemer: address, collateralToken: address, parentCollectionId: word },
    data: { conditionId: word, indexSets: uints, payout: uint },
  }),
] as const
