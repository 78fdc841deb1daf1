import { keccak256 } from '../../lib/keccak.js'
import { address, bool, bytes, event, int, uint, uints, word } from './event.js'

const questionEvent = <const Kind extends string>(kind: Kind, topic0: string) =>
  event(kind, topic0, { topics: { questionId: word } })

const SHARED_ADAPTER_EVENTS = [
  questionEvent('questionReset', '0x7981b5832932948db4e32a4a16a0f44b2ce7ff088574afb9364b313f70f82e8f'),
  questionEvent('questionFlagged', '0x2435a0347185933b12027c6f394a5fd9c03646dba233e956f50658719dfc0b35'),
  questionEvent('questionUnflagged', '0x052435bc04fc49113a7bfd9198a92c0852ca622a621800f6da66d4b29b786c05'),
  questionEvent('questionPaused', '0x6ded7250a9d5f79aef5add44600fc20a74a0af6f4730baa4fc4ab87bf484b812'),
  questionEvent('questionUnpaused', '0x92d28918c5574e7fc0f4f948c39502682c81cfb4089b07b83f95b3264e5e5e06'),
] as const

/** The first adapter: its QuestionResolved has the hash of the neg-risk operator's, with the bool indexed. */
export const UMA_ADAPTER_V1_EVENTS = [
  ...SHARED_ADAPTER_EVENTS,
  event('questionInitializedV1', '0x53af6c2e40505bb55a47d917203a12c8f063b6c505c11094d98ac8f772e8a031', {
    topics: { questionId: word },
    data: {
      ancillaryData: bytes,
      resolutionTime: uint,
      rewardToken: address,
      reward: uint,
      proposalBond: uint,
      earlyResolutionEnabled: bool,
    },
  }),
  event('questionSettledV1', '0xa6da625874a330dac87557bbedb7b127cb0a1877a8a3e62d97dc00f8b57622bb', {
    topics: { questionId: word, settledPrice: int, earlyResolution: bool },
  }),
  event('questionResolvedV1', '0x5c3937ed929cd157b73b417381d743daf6e1ef65999e3ccb5dd64bc3247e28d6', {
    topics: { questionId: word, emergencyReport: bool },
  }),
] as const

export const UMA_ADAPTER_EVENTS = [
  ...SHARED_ADAPTER_EVENTS,
  event('questionInitialized', '0xeee0897acd6893adcaf2ba5158191b3601098ab6bece35c5d57874340b64c5b7', {
    topics: { questionId: word, requestTimestamp: uint, creator: address },
    data: { ancillaryData: bytes, rewardToken: address, reward: uint, proposalBond: uint },
  }),
  event('questionResolved', '0x566c3fbdd12dd86bb341787f6d531f79fd7ad4ce7e3ae2d15ac0ca1b601af9df', {
    topics: { questionId: word, settledPrice: int },
    data: { payouts: uints },
  }),
  event('questionManuallyResolved', '0x5909815fe7fe0a550d5fcb95fbf33821b580521d3c97089c6ce12808d1cd0566', {
    topics: { questionId: word },
    data: { payouts: uints },
  }),
  event('questionEmergencyResolved', '0x6edb5841a476c9c29c34a652d1a44f785fe71a6157a3da9a6a6a589a1bd2945a', {
    topics: { questionId: word },
    data: { payouts: uints },
  }),
  event('ancillaryDataUpdated', '0x0059e11815211969c0c4aaf3f498b52b6c2f2d14f286275d0862d70de22a836b', {
    topics: { questionId: word, owner: address },
    data: { update: bytes },
  }),
] as const

/** Prices are scaled by 10^18. */
export const OPTIMISTIC_ORACLE_EVENTS = [
  event('requestPrice', '0xf1679315ff325c257a944e0ca1bfe7b26616039e9511f9610d4ba3eca851027b', {
    topics: { requester: address },
    data: {
      identifier: word,
      timestamp: uint,
      ancillaryData: bytes,
      currency: address,
      reward: uint,
      finalFee: uint,
    },
  }),
  event('proposePrice', '0x6e51dd00371aabffa82cd401592f76ed51e98a9ea4b58751c70463a2c78b5ca1', {
    topics: { requester: address, proposer: address },
    data: {
      identifier: word,
      timestamp: uint,
      ancillaryData: bytes,
      proposedPrice: int,
      expirationTimestamp: uint,
      currency: address,
    },
  }),
  event('disputePrice', '0x5165909c3d1c01c5d1e121ac6f6d01dda1ba24bc9e1f975b5a375339c15be7f3', {
    topics: { requester: address, proposer: address, disputer: address },
    data: { identifier: word, timestamp: uint, ancillaryData: bytes, proposedPrice: int },
  }),
  event('settlePrice', '0x3f384afb4bd9f0aef0298c80399950011420eb33b0e1a750b20966270247b9a0', {
    topics: { requester: address, proposer: address, disputer: address },
    data: { identifier: word, timestamp: uint, ancillaryData: bytes, price: int, payout: uint },
  }),
] as const

/**
 * The id, in the adapter's events, of the question that an event of the optimistic oracle is about:
 * the hash of the ancillary data that the adapter sent and the oracle repeats.
 */
export function questionIdOf(ancillaryData: string): string {
  return keccak256(ancillaryData)
}
