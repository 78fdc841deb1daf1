// Polygon contracts, lower-case.

export const ZERO = '0x0000000000000000000000000000000000000000'

export const CTF = '0x4d97dcd97ec945f40cf65f87097ace5ea0476045'
export const POSITION_MANAGER = '0x006f54f7f9a22e0000cc2ab60031000000ae9fef'

export const USDCE = '0x2791bca1f2de4661ed88a30c99a7a9449aa84174'
export const PUSD = '0xc011a7e12a19f7b1f670d46f03b03f3342e82dfb'
export const WCOL = '0x3a3bd7bb9528e159577f7c2e685cc81a765002e2'
export const PUSD_VAULT = '0xc417fd8e9661c0d2120b64a04bb3278c17e99db1'
export const ONRAMP = '0x93070a847efef7f70739046a929d47a521f5b8ee'
export const OFFRAMP = '0x2957922eb93258b93368531d39facca3b4dc5854'

export const EXCHANGE_V1 = '0x4bfb41d5b3570defd03c39a9a4d8de6bd8b8982e'
export const NEG_RISK_EXCHANGE_V1 = '0xc5d563a36ae78145c45a50134d48a1215220f80a'
export const EXCHANGE_V2 = '0xe111180000d2663c0091e4f400237545b87b996b'
export const NEG_RISK_EXCHANGE_V2 = '0xe2222d279d744050d28e00520010520000310f59'
export const EXCHANGE_V3 = '0xe3333700ca9d93003f00f0f71f8515005f6c00aa'
export const EXCHANGE_NAMES: ReadonlyMap<string, string> = new Map([
  [EXCHANGE_V1, 'exchange V1'],
  [NEG_RISK_EXCHANGE_V1, 'the neg-risk exchange V1'],
  [EXCHANGE_V2, 'exchange V2'],
  [NEG_RISK_EXCHANGE_V2, 'the neg-risk exchange V2'],
  [EXCHANGE_V3, 'exchange V3'],
])
export const FEE_MODULE = '0xe3f18acc55091e2c48d883fc8c8413319d4ab7b0'
export const NEG_RISK_FEE_MODULE = '0xb768891e3130f6df18214ac804d4db76c2c37730'
export const FEE_RECEIVER = '0x115f48dc2a731aa16251c6d6e1befc42f92accc9'

export const NEG_RISK_ADAPTER = '0xd91e80cf2e7be2e162c6513ced06f1dd0da35296'
export const NEG_RISK_OPERATOR = '0x71523d0f655b41e805cec45b17163f528b59b820'
export const NEG_RISK_VAULT = '0x7f67327e88c258932d7d8f72950be0d46975e11d'
/** Conversions park NO shares here, and there is no key for it. */
export const NEG_RISK_BURN = '0xa5ef39c3d3e10d0b270233af41cac69796b12966'

export const COLLATERAL_ADAPTERS = [
  '0xada100874d00e3331d00f2007a9c336a65009718',
  '0xada100db00ca00073811820692005400218fce1f',
  '0xada200001000ef00d07553cee7006808f895c6f1',
  '0xada2005600dec949baf300f4c6120000bdb6eaab',
]

export const BINARY_MODULE = '0x1000008dd9001b968442c1000017eae6e0da00ba'
export const NEG_RISK_MODULE = '0x200000900045e3b6259600682756002200028933'
export const COMBINATORIAL_MODULE = '0x30000034706c7d8e12009dab006be20000c031a8'
export const ROUTER = '0x12121212006e4cd160d18e3f00711da5c3372600'
export const AUTO_REDEEMER = '0xa1200000d0002264c9a1698e001292d00e1b00af'

/** Asks the oracle for the neg-risk adapter, under ids of its own. */
export const NEG_RISK_UMA_ADAPTER = '0x69c47de9d4d3dad79590d61b9e05918e03775f24'
export const UMA_ADAPTERS = [
  '0x6a9d222616c90fca5754cd1333cfd9b7fb6a4f74',
  '0x157ce2d672854c848c9b79c49a8cc6cc89176a49',
  '0x65070be91477460d8a7aeeb94ef92fe056c2f2a7',
  NEG_RISK_UMA_ADAPTER,
]

/** They pass things on and have nothing of their own when a transaction is over. */
export const INTERMEDIARIES: ReadonlySet<string> = new Set([
  EXCHANGE_V1,
  NEG_RISK_EXCHANGE_V1,
  EXCHANGE_V2,
  NEG_RISK_EXCHANGE_V2,
  EXCHANGE_V3,
  NEG_RISK_ADAPTER,
  ...COLLATERAL_ADAPTERS,
  NEG_RISK_MODULE,
  COMBINATORIAL_MODULE,
  ROUTER,
  AUTO_REDEEMER,
  PUSD,
  ONRAMP,
  OFFRAMP,
  POSITION_MANAGER,
])

/** They keep things, and an event accounts for each that comes or goes. */
export const RESERVES: ReadonlySet<string> = new Set([
  CTF,
  WCOL,
  PUSD_VAULT,
  BINARY_MODULE,
  NEG_RISK_BURN,
  NEG_RISK_VAULT,
  FEE_MODULE,
  NEG_RISK_FEE_MODULE,
  FEE_RECEIVER,
])
