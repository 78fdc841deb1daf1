import { address, bool, bytes, event, uint, uints, word } from './event.js'

export const NEG_RISK_ADAPTER_EVENTS = [
  event(
    'negRiskMarketPrepared',
    '0xf059ab16d1ca60e123eab60e3c02b68faf060347c701a5d14885a8e1def7b3a8',
    { topics: { marketId: word, oracle: address }, data: { feeBips: uint, data: bytes } },
  ),
  event(
    'negRiskQuestionPrepared',
    '0xaac410f87d423a922a7b226ac68f0c2eaf5bf6d15e644ac0758c7f96e2c253f7',
    { topics: { marketId: word, questionId: word }, data: { index: uint, data: bytes } },
  ),
  event(
    'negRiskOutcomeReported',
    '0x9e9fa7fd355160bd4cd3f22d4333519354beff1f5689bde87f2c5e63d8d484b2',
    { topics: { marketId: word, questionId: word }, data: { outcome: bool } },
  ),
  event('negRiskSplit', '0xbbed930dbfb7907ae2d60ddf78345610214f26419a0128df39b6cc3d9e5df9b0', {
    topics: { stakeholder: address, conditionId: word },
    data: { amount: uint },
  }),
  event('negRiskMerge', '0xba33ac50d8894676597e6e35dc09cff59854708b642cd069d21eb9c7ca072a04', {
    topics: { stakeholder: address, conditionId: word },
    data: { amount: uint },
  }),
  // Bit i of the index set: the NO of question i was given.
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
  event(
    'operatorMarketPrepared',
    '0x8138c0666fe0f752ff38486f542284f127aef02642c9c8db716ee1088839eeb0',
    { topics: { marketId: word }, data: { feeBips: uint, data: bytes } },
  ),
  event(
    'operatorQuestionPrepared',
    '0xcdc45423ec79c60a3fe3de57272e598d71a4ec88822e822ac8e134184a8435aa',
    {
      topics: { marketId: word, questionId: word, requestId: word },
      data: { questionIndex: uint, data: bytes },
    },
  ),
  event(
    'operatorQuestionFlagged',
    '0x2435a0347185933b12027c6f394a5fd9c03646dba233e956f50658719dfc0b35',
    { topics: { questionId: word } },
  ),
  event(
    'operatorQuestionUnflagged',
    '0x052435bc04fc49113a7bfd9198a92c0852ca622a621800f6da66d4b29b786c05',
    { topics: { questionId: word } },
  ),
  event(
    'operatorQuestionReported',
    '0x504306b41b2531b3fd2bc5e1b32dc1fc87501906cfc63c1180e3873af20f0eae',
    { topics: { questionId: word }, data: { requestId: word, result: bool } },
  ),
  event(
    'operatorQuestionResolved',
    '0x5c3937ed929cd157b73b417381d743daf6e1ef65999e3ccb5dd64bc3247e28d6',
    { topics: { questionId: word }, data: { result: bool } },
  ),
  event(
    'operatorQuestionEmergencyResolved',
    '0xd1aea2ca9d3458614d11a93a203dd9fabbd3576aeb841422c46e235637333cb9',
    { topics: { questionId: word }, data: { result: bool } },
  ),
] as const
