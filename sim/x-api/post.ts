/** Someone who posts. */
export type Account = {
  id: string
  name: string
  username: string
  /** `protected`: only followers see the posts. `suspended`: X no longer shows the account. */
  state: 'public' | 'protected' | 'suspended'
}

export type Link = {
  /** The short link that stands in the text. */
  url: string
  expandedUrl: string
  title?: string | undefined
  description?: string | undefined
  imageUrl?: string | undefined
  mediaKey?: string | undefined
}

export type Media = {
  mediaKey: string
  type: 'photo' | 'video'
  url: string
  variants: readonly { bit_rate?: number; content_type: string; url: string }[]
}

export type Post = {
  id: string
  createdMs: number
  author: Account
  /** The whole text; one of more than 280 characters is shown cut off beside its note. */
  text: string
  lang: string
  links: readonly Link[]
  media: Media | undefined
  quotes: Post | undefined
  /** A quoted post that its author has deleted. */
  quotesDeleted: string | undefined
  repostOf: Post | undefined
  replyTo: Post | undefined
  likes: number
}

/** The first post of its thread. */
export const conversationOf = (post: Post): string =>
  post.replyTo === undefined ? post.id : conversationOf(post.replyTo)

export const repostsOf = ({ likes }: Post): number => Math.floor(likes / 6)
