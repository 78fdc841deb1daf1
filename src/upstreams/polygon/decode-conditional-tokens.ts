import { address, bool, event, uint, uints, word, words } from './event.js'

const transferSingle = event(
  'transferSingle',
  '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62',
  {
    topics: { operator: address, from: address, to: address },
    data: { id: word, value: uint },
  },
)

/** `ids` and `values` are as long as each other only if the contract made them so: compare before use. */
const transferBatch = event(
  'transferBatch',
  '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb',
  {
    topics: { operator: address, from: address, to: address },
    data: { ids: words, values: uints },
  },
)

const approvalForAll = event(
  'approvalForAll',
  '0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31',
  { topics: { owner: address, operator: address }, data: { approved: bool } },
)

/** The ERC-1155 part, which the manager of structured positions shares. */
export const ERC1155_EVENTS = [transferSingle, transferBatch, approvalForAll] as const

export const CONDITIONAL_TOKENS_EVENTS = [
  ...ERC1155_EVENTS,
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
  event('ctfSplit', '0x2e6bb91f8cbcda0c93623c54d0403a43514fabc40084ec96b6d5379a74786298', {
    topics: { stakeholder: address, parentCollectionId: word, conditionId: word },
    data: { collateralToken: address, partition: uints, amount: uint },
  }),
  event('ctfMerge', '0x6f13ca62553fcc2bcd2372180a43949c1e4cebba603901ede2f4e14f36b282ca', {
    topics: { stakeholder: address, parentCollectionId: word, conditionId: word },
    data: { collateralToken: address, partition: uints, amount: uint },
  }),
  event('ctfRedemption', '0x2682012a4a4f1973119f1c9b90745d1bd91fa2bab387344f044cb3586864d18d', {
    topics: { redeemer: address, collateralToken: address, parentCollectionId: word },
    data: { conditionId: word, indexSets: uints, payout: uint },
  }),
] as const
