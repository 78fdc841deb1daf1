import { keccakText } from '../contracts/keccak.js'
import { walletAddress } from '../contracts/wallet-addresses.js'
import { addressWord } from '../contracts/words.js'
import { hash32, Rng, unit } from './random.js'
import type { Builder, Character, Wallet, WalletKind } from './wallet.js'

/** How many of each there are. */
const HEADCOUNT: readonly (readonly [Character, number])[] = [
  ['maker', 40],
  ['momentum', 220],
  ['whale', 60],
  ['arbitrageur', 60],
  ['sniper', 30],
  ['copier', 120],
  ['holder', 270],
  ['casual', 1_500],
  ['loser', 300],
]

/** Two share a name, and one has none. */
const BUILDERS: readonly Builder[] = [
  makeBuilder('betmoar'),
  makeBuilder('polycule'),
  makeBuilder('stand'),
  makeBuilder('okbet', { verified: false }),
  makeBuilder('traderoom', { verified: false }),
  makeBuilder('okbet', { account: 'okbet-two', verified: false }),
  makeBuilder('', { account: 'unnamed', verified: false }),
]
/** Has a profile, and no order ever named it. */
const IDLE_BUILDER = makeBuilder('quietdesk')

const ADJECTIVES =
  'Bold,Calm,Clever,Dusty,Eager,Fuzzy,Gentle,Golden,Hasty,Icy,Jolly,Keen,Lucky,Mellow,Nimble,Odd,Proud,Quick,Rusty,Silent,Tidy,Vivid,Witty,Young'.split(
    ',',
  )
const ANIMALS =
  'Badger,Crane,Dingo,Egret,Falcon,Gecko,Heron,Ibis,Jackal,Koala,Lynx,Marten,Newt,Otter,Panda,Quail,Raven,Stoat,Tapir,Urchin,Viper,Walrus,Yak,Zebra'.split(
    ',',
  )
const HANDLES =
  'alpha,basis,candle,delta,edge,fade,gamma,hedge,iron,juice,kelly,long,max,nova,odds,pivot,quant,ratio,sigma,tilt,under,vega,whale,yield,zero'.split(
    ',',
  )
const DAY_MS = 86_400_000

export class Population {
  readonly wallets: readonly Wallet[]
  readonly builders = [...BUILDERS, IDLE_BUILDER]
  readonly #byAddress = new Map<string, Wallet>()
  readonly #byOwner = new Map<string, Wallet>()

  /** Half are there from the beginning; the others join during `joiningMs` after it. */
  constructor(seed: number, startMs: number, joiningMs: number) {
    const rng = new Rng(seed, 101)
    const characters = HEADCOUNT.flatMap(([character, count]) => Array(count).fill(character))
    this.wallets = characters.map((character: Character, index) =>
      makeWallet(seed, rng, character, index, { startMs, joiningMs }),
    )
    for (const wallet of this.wallets) {
      this.#byAddress.set(wallet.address, wallet)
      this.#byOwner.set(wallet.owner, wallet)
    }
  }

  /** By lower-case address. */
  byAddress(address: string): Wallet | undefined {
    return this.#byAddress.get(address)
  }

  /** By the lower-case address of the key: each has one wallet. */
  byOwner(owner: string): Wallet | undefined {
    return this.#byOwner.get(owner)
  }

  ofCharacter(character: Character): Wallet[] {
    return this.wallets.filter((wallet) => wallet.character === character)
  }
}

/** The code follows from the account. */
function makeBuilder(name: string, { account = name, verified = true } = {}): Builder {
  const code = `0x${keccakText(`builder:${account}`)}`
  return { code, name, logo: name && `https://builders.example/${account}.png`, verified }
}

function makeWallet(
  seed: number,
  rng: Rng,
  character: Character,
  index: number,
  { startMs, joiningMs }: { startMs: number; joiningMs: number },
): Wallet {
  const owner = `0x${keccakText(`owner:${seed}:${index}`).slice(24)}`
  const kind = chooseKind(character, rng.next())
  const address = walletAddress(kind, owner)
  const isOld = character === 'maker' || rng.chance(0.5)
  const age = rng.next()
  const named = rng.chance(0.6)
  const handle = `${rng.pick(HANDLES)}${rng.pick(HANDLES)}${rng.below(1000)}`
  return {
    index,
    address,
    word: addressWord(address),
    owner,
    kind,
    character,
    name: named ? handle : '',
    pseudonym: `${rng.pick(ADJECTIVES)}-${rng.pick(ANIMALS)}`,
    bio: rng.chance(0.1) ? `Trading since ${2021 + rng.below(5)}.` : '',
    profileImage: named
      ? `https://polymarket-upload.s3.us-east-2.amazonaws.com/profile-image-${index}.png`
      : '',
    xUsername: rng.chance(0.08) ? handle : '',
    verified: rng.chance(0.02),
    createdMs: Math.floor(isOld ? startMs - (1 + age * 900) * DAY_MS : startMs + age * joiningMs),
    builder: rng.chance(character === 'casual' ? 0.25 : 0.08) ? rng.pick(BUILDERS) : undefined,
  }
}

/** Bots sign with plain keys more often than people do. */
function chooseKind(character: Character, chance: number): WalletKind {
  const bot = character === 'maker' || character === 'sniper' || character === 'arbitrageur'
  if (chance < (bot ? 0.3 : 0.02)) return 'eoa'
  if (chance < 0.5) return 'safe'
  return chance < 0.75 ? 'proxy' : 'deposit'
}

/** Whether the wallet lets the AutoRedeemer collect its winnings. */
export const redeemsAutomatically = (seed: number, wallet: Wallet): boolean =>
  wallet.character !== 'maker' && unit(seed, wallet.index, 111) < 0.4

/** A habit of the wallet as a number from 0 up to 1, the same at all times. */
export const habit = (seed: number, wallet: Wallet, which: number): number =>
  hash32(seed, wallet.index, which, 121) / 4294967296
