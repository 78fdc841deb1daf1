type Operation = { get(field: string): unknown; getIn(path: string[]): unknown }
type Operations = { size: number; filter(keep: (operation: Operation) => boolean): Operations }
type Tag = {
  get(field: 'operations'): Operations
  update(field: 'operations', change: (operations: Operations) => Operations): Tag
}
type Tags = {
  map(change: (tag: Tag, name: string) => Tag): Tags
  filter(keep: (tag: Tag) => boolean): Tags
}
type System = {
  layoutSelectors: { currentFilter(): string | boolean }
  layoutActions: {
    updateFilter(text: string): void
    show(key: [string, unknown], isShown: boolean): void
  }
  specSelectors: { tags(): Iterable<{ get(field: string): unknown }> }
}
type React = { createElement(type: string, properties: object, ...children: unknown[]): unknown }

/**
 * Runs in the browser, from its source, so it uses nothing of this file: makes the filter of Swagger UI, which knows
 * the names of groups alone, a search in paths and texts of operations. Groups with finds are opened.
 */
export function searchPlugin({ React }: { React: React }): object {
  const opsFilter = (tags: Tags, phrase: string): Tags => {
    const words = phrase.toLowerCase().split(/\s+/)
    const isFound = (group: string, operation: Operation): boolean => {
      const texts = ['summary', 'description', 'operationId'].map((field) =>
        operation.getIn(['operation', field]),
      )
      const text = [group, operation.get('method'), operation.get('path'), ...texts].join(' ')
      return words.every((word) => text.toLowerCase().includes(word))
    }
    return tags
      .map((tag, group) =>
        tag.update('operations', (operations) => operations.filter((each) => isFound(group, each))),
      )
      .filter((tag) => tag.get('operations').size > 0)
  }
  const FilterContainer = ({ layoutSelectors, layoutActions, specSelectors }: System) => {
    const filter = layoutSelectors.currentFilter()
    const value = typeof filter === 'string' ? filter : ''
    const onChange = ({ target }: { target: { value: string } }) => {
      layoutActions.updateFilter(target.value)
      const isSearched = target.value !== ''
      if (isSearched === (value !== '')) return
      for (const tag of specSelectors.tags()) {
        layoutActions.show(['operations-tag', tag.get('name')], isSearched)
      }
    }
    const placeholder = 'Filter the operations: words or a part of a path'
    const input = {
      className: 'operation-filter-input',
      type: 'search',
      placeholder,
      value,
      onChange,
    }
    return React.createElement(
      'div',
      { className: 'filter wrapper' },
      React.createElement('input', { ...input, 'aria-label': placeholder }),
    )
  }
  // The bar of Swagger UI advertises it, asks for a URL that never changes, and has colours of its own choice.
  return { fn: { opsFilter }, components: { FilterContainer, Topbar: () => null } }
}
