import { LRUCache } from 'lru-cache'
import type { MarketEvent } from '../universe/market.js'
import { hash32, Rng } from '../universe/random.js'
import type { Universe } from '../universe/universe.js'
import type { Accounts } from './accounts.js'
import type { Account, Link, Media, Post } from './post.js'

const DAY_MS = 86_400_000
/** How far back recent search reaches. */
export const RECENT_MS = 7 * DAY_MS
const POSTS_PER_DAY = 5
const POSTS_PER_GAME_DAY = 8
const KEPT_MAX = 20_000
/** Where ids of X begin to count milliseconds. */
const EPOCH_MS = 1_288_834_974_657
/** Chance of posts is apart from all other chance of the universe. */
const PURPOSE = 77

type Writing = { lang: 'en' | 'es'; say: (topic: string, tag: string) => string }

/** What a post says about a topic. `link` stands for the short link. */
const TEXTS: readonly Writing[] = [
  { lang: 'en', say: (topic) => `${topic}: here is where the market stands. link` },
  { lang: 'en', say: (topic, tag) => `🔥🔥 ${topic} — who you got? 👀 #${tag} link` },
  { lang: 'en', say: (topic) => `Odds moved again on ${topic}. Someone knows something 🐋 link` },
  { lang: 'es', say: (topic, tag) => `Últimas noticias: ${topic} #${tag} link` },
]
const GAME_TEXTS: readonly Writing[] = [
  ...TEXTS,
  { lang: 'en', say: (topic) => `Injury report: ${topic}. Two questionable, one out. link` },
  { lang: 'en', say: (topic, tag) => `Starting lineup news for ${topic} #${tag}` },
]
const LONG = ' The price moved before the news did, and it has not come back since.'

/**
 * The posts of the universe: a few about each event on every day on which it is open, and about a game
 * in the week before as well. They can be found from when the event can be seen, and stay the same.
 */
export class Posts {
  readonly #universe: Universe
  readonly #accounts: Accounts
  readonly #kept = new LRUCache<string, Post[]>({ max: KEPT_MAX })
  #newest: { nowMs: number; posts: readonly Post[] } = { nowMs: Number.NaN, posts: [] }

  constructor(universe: Universe, accounts: Accounts) {
    this.#universe = universe
    this.#accounts = accounts
  }

  /** Everything of the last seven days, newest first. */
  recent(): readonly Post[] {
    const { nowMs } = this.#universe
    if (this.#newest.nowMs !== nowMs) this.#newest = { nowMs, posts: this.#list() }
    return this.#newest.posts
  }

  #list(): Post[] {
    const { nowMs, catalogue } = this.#universe
    const fromMs = nowMs - RECENT_MS
    const topics = catalogue.events().filter((event) => isTopic(event) && event.endMs > fromMs)
    const days = Array.from({ length: 8 }, (_, ago) => Math.floor(nowMs / DAY_MS) - ago)
    return topics
      .flatMap((event) => days.flatMap((day) => this.#postsOf(event, day)))
      .filter(({ createdMs }) => createdMs <= nowMs && createdMs > fromMs)
      .sort((a, b) => b.createdMs - a.createdMs || (a.id < b.id ? 1 : -1))
  }

  #postsOf(event: MarketEvent, day: number): Post[] {
    const key = `${event.id} ${day}`
    const kept = this.#kept.get(key)
    if (kept !== undefined) return kept
    const posts = this.#write(event, day)
    this.#kept.set(key, posts)
    return posts
  }

  #write(event: MarketEvent, day: number): Post[] {
    const rng = new Rng(hash32(this.#universe.seed, PURPOSE), Number(event.id), day)
    const count = event.game === undefined ? POSTS_PER_DAY : POSTS_PER_GAME_DAY
    const times = Array.from({ length: count }, () => Math.floor((day + rng.next()) * DAY_MS)).sort(
      (a, b) => a - b,
    )
    // People talk about a game before there are markets about it.
    const fromMs = event.createdMs - (event.game === undefined ? 0 : RECENT_MS)
    const posts: Post[] = []
    for (const createdMs of times) {
      const post = this.#writeOne(event, createdMs, rng, posts)
      if (createdMs >= fromMs && createdMs <= event.endMs + DAY_MS) posts.push(post)
    }
    return posts
  }

  #writeOne(event: MarketEvent, createdMs: number, rng: Rng, before: readonly Post[]): Post {
    const { newsrooms, posters } = this.#accounts
    const author = rng.pick(rng.chance(0.6) ? newsrooms : posters)
    const id = snowflake(createdMs, rng)
    const topic = event.game?.title ?? event.title
    const tag = event.game?.league.code.toUpperCase() ?? event.tags[0]?.slug.replace(/\W/g, '')
    const { lang, say } = rng.pick(event.game === undefined ? TEXTS : GAME_TEXTS)
    const isLong = rng.chance(0.12)
    const written = say(topic, tag ?? 'markets')
    const picture = rng.chance(0.25) ? makeMedia(id, rng) : undefined
    const earlier = before.length === 0 ? undefined : rng.pick(before)
    const act = rng.next()
    const page = makeLink(shortLink(rng), {
      expandedUrl: `https://polymarket.com/event/${event.slug}`,
      title: event.title,
      description: `Trade on ${event.title}`,
      imageUrl: event.image,
    })
    const plain: Post = {
      id,
      createdMs,
      author,
      lang,
      text: written + (isLong ? LONG.repeat(5) : ''),
      links: written.includes('link') ? [page] : [],
      media: undefined,
      quotes: undefined,
      quotesDeleted: undefined,
      repostOf: undefined,
      replyTo: undefined,
      likes: Math.floor(2 ** (rng.next() * 13)),
    }
    if (earlier !== undefined && act < 0.1) return { ...plain, repostOf: earlier, links: [] }
    const post = withLinks(plain, picture, author, shortLink(rng))
    if (earlier === undefined || earlier.repostOf !== undefined) return post
    if (act < 0.3) return { ...post, quotes: earlier }
    if (act < 0.35) return { ...post, quotesDeleted: snowflake(createdMs - DAY_MS, rng) }
    return act < 0.5 ? { ...post, replyTo: earlier } : post
  }
}

/** Windows of minutes are too many to talk about, and companions of a game are its game. */
const isTopic = ({ window, game, slug }: MarketEvent): boolean =>
  window === undefined && (game === undefined || game.slug === slug)

/** Puts the short links into the text, that of a picture at its end. */
function withLinks(post: Post, media: Media | undefined, author: Account, url: string): Post {
  const [page] = post.links
  const text = page === undefined ? post.text : post.text.replace('link', () => page.url)
  if (media === undefined) return { ...post, text }
  const expandedUrl = `https://x.com/${author.username}/status/${post.id}/${media.type}/1`
  const link = makeLink(url, { expandedUrl, mediaKey: media.mediaKey })
  return { ...post, media, text: `${text} ${link.url}`, links: [...post.links, link] }
}

const makeLink = (url: string, rest: Omit<Link, 'url'>): Link => ({ url, ...rest })

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

const shortLink = (rng: Rng): string =>
  `https://t.co/${Array.from({ length: 10 }, () => rng.pick([...LETTERS])).join('')}`

const snowflake = (ms: number, rng: Rng): string =>
  String((BigInt(ms - EPOCH_MS) << 22n) + BigInt(rng.below(2 ** 22)))

function makeMedia(postId: string, rng: Rng): Media {
  const isVideo = rng.chance(0.4)
  const base = `https://${isVideo ? 'video' : 'pbs'}.twimg.com`
  const file = (width: string) => `${base}/ext_tw_video/${postId}/pu/vid/${width}/clip.mp4`
  return {
    mediaKey: `${isVideo ? 7 : 3}_${postId}`,
    type: isVideo ? 'video' : 'photo',
    url: `https://pbs.twimg.com/media/${postId}.jpg`,
    variants: isVideo
      ? [
          { bit_rate: 632_000, content_type: 'video/mp4', url: file('320x568') },
          { content_type: 'application/x-mpegURL', url: `${base}/ext_tw_video/${postId}.m3u8` },
          { bit_rate: 2_176_000, content_type: 'video/mp4', url: file('720x1280') },
          { bit_rate: 950_000, content_type: 'video/mp4', url: file('480x852') },
        ]
      : [],
  }
}
