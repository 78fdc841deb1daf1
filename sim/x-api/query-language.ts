import { type Post, repostsOf } from './post.js'
import { invalidRequest } from './problem.js'

type Matches = (post: Post) => boolean

/** What a query matches. Throws the 400 of a query that X does not understand. */
export function parseQuery(text: string): Matches {
  const words = [...text.matchAll(TOKEN)].map(([, token = '']) => token)
  if (!words.some(standsAlone)) {
    throw refuse(
      text,
      'Rules must contain at least one positive, standalone operator; see the documentation.',
    )
  }
  const parser = new QueryParser(text, words)
  return parser.parse()
}

const TOKEN = /\s*(-?"[^"]*"|-?\(|\)|[^\s()"]+(?:"[^"]*")?|\S)/gy
/** Operators that only narrow others. */
const NARROWING = /^(lang|is|has|min_likes|min_reposts|min_replies):/
const standsAlone = (token: string): boolean =>
  token !== 'OR' && !/^[-()]/.test(token) && !NARROWING.test(token)

const refuse = (text: string, message: string) => invalidRequest([{ parameters: { query: [text] }, message }])

/** `OR` binds less than two terms side by side. */
class QueryParser {
  readonly #text: string
  readonly #tokens: readonly string[]
  #next = 0

  constructor(text: string, tokens: readonly string[]) {
    this.#text = text
    this.#tokens = tokens
  }

  parse(): Matches {
    const matches = this.#either()
    if (this.#next < this.#tokens.length) throw this.#refuse()
    return matches
  }

  #either(): Matches {
    const parts = [this.#all()]
    while (this.#tokens[this.#next] === 'OR') {
      this.#next++
      parts.push(this.#all())
    }
    return (post) => parts.some((matches) => matches(post))
  }

  #all(): Matches {
    const parts: Matches[] = []
    for (;;) {
      const token = this.#tokens[this.#next]
      if (token === undefined || token === ')' || token === 'OR') break
      this.#next++
      parts.push(this.#term(token))
    }
    if (parts.length === 0) throw this.#refuse()
    return (post) => parts.every((matches) => matches(post))
  }

  #term(token: string): Matches {
    const isNegated = token.startsWith('-') && token.length > 1
    const bare = isNegated ? token.slice(1) : token
    const matches = bare === '(' ? this.#group() : this.#word(bare)
    return isNegated ? (post) => !matches(post) : matches
  }

  #group(): Matches {
    const matches = this.#either()
    if (this.#tokens[this.#next] !== ')') throw this.#refuse()
    this.#next++
    return matches
  }

  #word(word: string): Matches {
    const [, name, value = ''] = /^([a-z_]+):(.*)$/s.exec(word) ?? []
    if (name !== undefined) {
      const matches = OPERATORS[name]?.(value.replace(/^"|"$/g, ''))
      if (matches === undefined) throw this.#refuse(`Reference to invalid operator '${name}'.`)
      return matches
    }
    if (/^[#@$]/.test(word)) {
      const tag = word.toLowerCase()
      return ({ text }) => text.toLowerCase().split(/\s+/).includes(tag)
    }
    if (word === '"') throw this.#refuse()
    const said = ` ${normalize(word)} `
    return (post) => ` ${normalize(post.text)} `.includes(said)
  }

  #refuse(message = 'There were errors processing your request: no viable alternative') {
    const location = `(at position ${this.#next})`
    return refuse(this.#text, `${message} ${location}`)
  }
}

const normalize = (text: string): string =>
  text
    .toLowerCase()
    .replace(/https?:\S+/g, ' ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

const atLeast =
  (count: (post: Post) => number) =>
  (value: string): Matches | undefined =>
    /^\d{1,9}$/.test(value) ? (post) => count(post) >= Number(value) : undefined

const isBy = (name: string, username: string | undefined): boolean =>
  username?.toLowerCase() === name.toLowerCase().replace(/^@/, '')

/** `undefined`: the value is not one of the operator's. */
const OPERATORS: { readonly [name: string]: (value: string) => Matches | undefined } = {
  from: (value) => (post) => isBy(value, post.author.username),
  to: (value) => (post) => isBy(value, post.replyTo?.author.username),
  lang: (value) => (post) => post.lang === value,
  url: (value) => (post) => post.links.some(({ expandedUrl }) => expandedUrl.includes(value)),
  min_likes: atLeast((post) => post.likes),
  min_reposts: atLeast(repostsOf),
  min_replies: atLeast((post) => post.likes >> 4),
  is: (value) =>
    ({
      retweet: (post: Post) => post.repostOf !== undefined,
      reply: (post: Post) => post.replyTo !== undefined,
      quote: (post: Post) => post.quotes !== undefined,
    })[value],
  has: (value) =>
    ({
      links: (post: Post) => post.links.length > 0,
      media: (post: Post) => post.media !== undefined,
      hashtags: (post: Post) => post.text.includes('#'),
    })[value],
}
