/** Code or JSON as it is. What is wider than the page is scrolled by keys, too. */
export const Code = ({ text }: { text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
  <pre tabIndex={0}>{text}</pre>
)
