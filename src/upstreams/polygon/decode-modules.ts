import { address, addresses, bytes29, bytes31, event, uint, uints, word, words } from './event.js'

/**
 * Structured positions. Condition ids are 31 bytes here and event ids 29: a position id without its
 * last byte, or without its last three.
 */
export const MODULE_EVENTS = [
  event('resultReported', '0x669c053fe14f2493990c0c90d8d2870cd45e2630b34b8a2b4f02869301987713', {
    topics: { resolver: address, conditionId: bytes31 },
    data: { result: uints },
  }),
  event('conditionResolved', '0xe560c1a2847d4cf2e66de11fe592605556989449f38cc3ab96e2e287daa68caa', {
    topics: { conditionId: bytes31 },
    data: { result: uints },
  }),
  event('positionsSplit', '0xb6a6b8b17a43b07b9359dd12d304e42077eede9e672f8646144842c8604582a4', {
    topics: { initiator: address, conditionId: bytes31, recipient0: address },
    data: { recipient1: address, amount: uint },
  }),
  event('positionsMerged', '0xf233f7be4ce81130a78e8eb2fa626497586c56094d27bfec2e196471e9c60301', {
    topics: { initiator: address, conditionId: bytes31, recipient: address },
    data: { amount: uint },
  }),
  event('positionRedeemed', '0x4fd474b703f46b453536518b4cbc159dfbea6fd663233763d321a9bc8ccdf97f', {
    topics: { initiator: address, positionId: word, recipient: address },
    data: { amount: uint, payout: uint },
  }),
  event('bridgePositionMinted', '0xd310e554d3fd5335d0aca4ef77d4859f65a3e728008329aef6db44ebaf78f1e1', {
    topics: { to: address, positionId: word },
    data: { amount: uint },
  }),
  event('bridgePositionsBurned', '0x06735e2794e58fa40f90f6d752f9a94f47d33c04a1128e995673886ec726c3ae', {
    data: { positionIds: words, amounts: uints },
  }),
  event('eventPrepared', '0x9bdf886b29ff2e03765aa003845c79f3700b39f9628db119aeeaac5d0fd73306', {
    topics: { eventId: bytes29 },
    data: { conditionCount: uint, legacyEventId: word },
  }),
  event('positionMigrated', '0xe8d329e97d555e1e9d0da49d3b12d41a966458eee02ff4c869e54c6711d7c80b', {
    topics: { from: address, conditionId: bytes31, positionId: word },
    data: { outcomeIndex: uint, amount: uint },
  }),
  event(
    'migrationConditionRegistered',
    '0x0da49435dfd3b856758ee0b1a2500f1e8062fed24dd654594af9fa163cc5bcb4',
    { topics: { v2ConditionId: bytes31, legacyConditionId: word } },
  ),
  event('migrationResolved', '0xf87100968b0fe70751acf87590ffac515231c5b999cba36e6820c7d312dcc8af', {
    topics: { conditionId: bytes31, legacyConditionId: word },
    data: { legacyPayout0: uint, legacyPayout1: uint, result0: uint, result1: uint },
  }),
  event('legacyCollateralSettled', '0x7a07cc3efaf017520e4ad55e66052f0398632c810a3fab73e58e4c7050746825', {
    topics: { legacyToken: address, vault: address },
    data: { amount: uint },
  }),
] as const

export const NEG_RISK_MODULE_EVENTS = [
  ...MODULE_EVENTS,
  event('horizontalSplit', '0x9dbee20759d31417e9b0d739e07904f87139522ce89cf2f6ad78e299067674ce', {
    topics: { initiator: address, eventId: bytes29, recipient: address },
    data: { amount: uint },
  }),
  event('horizontalMerge', '0xbfdd473162148936b92fc229a1d66bcded27968d61ec543cbd86b433fd2d7b4b', {
    topics: { initiator: address, eventId: bytes29, recipient: address },
    data: { amount: uint },
  }),
  event('positionConverted', '0x975e919c2cacb75b8a9fc78ddf455a5211812df2f388c877c8d3adfe156e2779', {
    topics: { initiator: address, eventId: bytes29, recipient: address },
    data: { conditionIndex: uint, amount: uint },
  }),
  event(
    'remainingConditionsDerivableAsNo',
    '0x7b4e633936952f2babe4b4b548a8ccb384cdfdf1a95247fbacd18e387b490502',
    { topics: { eventId: bytes29 } },
  ),
  event(
    'syntheticConditionDerivableAsYes',
    '0x5bea118d92630445b0b401b6883731630ed870edf2f259980efe977dfc128b36',
    { topics: { eventId: bytes29, conditionId: bytes31 } },
  ),
] as const

export const ROUTER_EVENTS = [
  event(
    'combinatorialCollateralReturned',
    '0xf96012c33cad3242c6e56a0c9a4d003fdf70ca495dff976cff4295e03ffe3b86',
    { topics: { initiator: address }, data: { operationCount: uint } },
  ),
] as const

/** Only here do the legs of a combo appear. */
const combinatorialConditionPrepared = event(
  'combinatorialConditionPrepared',
  '0x51c89d7ee51515f7235e928930da7f81be08212bc14870a6a37c64744492db96',
  { topics: { conditionId: bytes31 }, data: { legs: words } },
)

export const COMBINATORIAL_MODULE_EVENTS = [
  ...MODULE_EVENTS,
  combinatorialConditionPrepared,
  event('splitOnCondition', '0x1a07698f7dd85df4924787e65bad71fa08c54c04700b09c8c648c6e797540202', {
    topics: { user: address, parentConditionId: bytes31 },
    data: {
      childYesConditionId: bytes31,
      childNoConditionId: bytes31,
      recipient0: address,
      recipient1: address,
      amount: uint,
    },
  }),
  event('mergedOnCondition', '0x532e91b101b4cdffc29d79b6ca1f3ae8690d4846c75145039161f4a22c55019a', {
    topics: { user: address, parentConditionId: bytes31 },
    data: {
      childYesConditionId: bytes31,
      childNoConditionId: bytes31,
      recipient: address,
      amount: uint,
    },
  }),
  event('splitOnEvent', '0x24ddc4002a06123a2abb28bb44889b496299eac2a85e9ccf87514396dda1d063', {
    topics: { user: address, parentConditionId: bytes31, eventId: bytes29 },
    data: { recipients: addresses, amount: uint },
  }),
  event('mergedOnEvent', '0xb219258fc090ae084a29f0659e7e2947568de5694939da14181645a55f03f870', {
    topics: { user: address, parentConditionId: bytes31, eventId: bytes29 },
    data: { recipient: address, amount: uint },
  }),
  event('convertedOnEvent', '0x93d226ffc1c7cc4176213b47c5966043f735f6d3c3e5c092fd619ff1fe5d3bd3', {
    topics: { user: address, parentConditionId: bytes31, eventId: bytes29 },
    data: { conditionIndex: uint, recipients: addresses, amount: uint },
  }),
  event('extracted', '0x6c14fdbd417e901138c803349c26df1115726b468ebc6142d39f7b9aef7f17fe', {
    topics: { user: address, fullConditionId: bytes31 },
    data: {
      reducedConditionId: bytes31,
      residualConditionId: bytes31,
      recipient0: address,
      recipient1: address,
      amount: uint,
    },
  }),
  event('injected', '0xbb32ee0762f37f8b1ace698804f2f31be362ada55b233e359de04fefd164819f', {
    topics: { user: address, fullConditionId: bytes31 },
    data: {
      reducedConditionId: bytes31,
      residualConditionId: bytes31,
      recipient: address,
      amount: uint,
    },
  }),
  event('convertedToYesBasket', '0x348359e703372b7a9511e430c7e4db280578fb31a773e6c075ef7328cec34da6', {
    topics: { user: address, fullConditionId: bytes31 },
    data: { recipients: addresses, amount: uint },
  }),
  event('mergedFromYesBasket', '0x09e4439e8186f011e12eb04a93f9d5477f79e7479375c8108d5e38e234a84ff6', {
    topics: { user: address, fullConditionId: bytes31 },
    data: { recipient: address, amount: uint },
  }),
  event('compressed', '0x43f975db4a407bc85816b44922ab015dc6b990ead8d39099398c03a258e70bce', {
    topics: { user: address, oldPositionId: word, newPositionId: word },
    data: { recipient: address, amount: uint, positionAmount: uint, collateralOut: uint },
  }),
  event('comboUnwrapped', '0x49c5e71a70e54b164c70c3345b2f3ca11fbad1c05a76146be4c4e849f992658b', {
    topics: { user: address },
    data: {
      combinatorialPositionId: word,
      underlyingPositionId: word,
      recipient: address,
      amount: uint,
    },
  }),
  event('comboWrapped', '0xee943741871b99130d74367c491afe27aa9324108e10ae51d0a8f9e8cd9f9eff', {
    topics: { user: address },
    data: {
      underlyingPositionId: word,
      combinatorialPositionId: word,
      recipient: address,
      amount: uint,
    },
  }),
] as const
