// The marks of the picture: its legend names those that are in it, the help all.

/** What each mark means, by the end of the class that draws it. */
export const marks = {
  pale: 'same as before',
  full: 'new, or behind a cut: paid anew',
  cut: 'prefix cut: nothing is repeated from here on',
  compared: 'compared with this call',
  draft: 'working state: the next call',
  found: 'has the words',
  cached: 'read from the provider’s cache up to here',
  broke: 'it read less than was left',
}

/** A mark in the legend. */
export function Mark({ of }: { of: keyof typeof marks }) {
  return <li><i class={'mark-' + of} />{marks[of]}</li>
}
