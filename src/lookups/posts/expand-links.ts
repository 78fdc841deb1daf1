/** A short link in a text. `start` and `end` count Unicode code points. */
export type ShortLink = { start: number; end: number; url: string; expandedUrl: string }

/** The text with every short link replaced by its target. */
export function expandLinks(text: string, links: readonly ShortLink[]): string {
  const characters = [...text]
  const misplaced: ShortLink[] = []
  // From the last to the first, so that the offsets of the others stay right.
  for (const link of [...links].sort((a, b) => b.start - a.start)) {
    const { start, end, url, expandedUrl } = link
    if (characters.slice(start, end).join('') === url) characters.splice(start, end - start, expandedUrl)
    else misplaced.push(link)
  }
  // Offsets of links in reposts and in texts with escaped characters are sometimes wrong.
  return misplaced.reduce(
    (expanded, { url, expandedUrl }) => expanded.replace(url, () => expandedUrl),
    characters.join(''),
  )
}
