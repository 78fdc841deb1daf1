import { useNavigate } from '@tanstack/react-router'

type ChoiceProps<Value extends string> = {
  label: string
  options: Readonly<Record<Value, string>>
  value: Value
  onChoose: (value: Value) => void
}

/** One of a few, all of them visible. */
export const Choice = <Value extends string>({ label, options, value, onChoose }: ChoiceProps<Value>) => (
  <fieldset className="tabs" aria-label={label}>
    {(Object.entries(options) as [Value, string][]).map(([each, title]) => (
      <button key={each} type="button" aria-pressed={each === value} onClick={() => onChoose(each)}>
        {title}
      </button>
    ))}
  </fieldset>
)

/** A choice that is part of the address, so that links and the back button keep it. */
export function useSearchChoice(name: string): (value: string) => void {
  const navigate = useNavigate()
  return (value) =>
    void navigate({ to: '.', search: (before: Record<string, unknown>) => ({ ...before, [name]: value }) })
}
