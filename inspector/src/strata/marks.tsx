// The marks of the picture: its legend names those that are in it, and the help explains all.

/** By the end of the class that draws it: its word in the legend, and what it means. */
export const marks = {
  pale: { word: 'same as before', means: 'the call repeats it from the call before: a provider can read it from its cache' },
  full: { word: 'new', means: 'new in this call, or behind a cut: it is sent and paid anew' },
  cut: { word: 'prefix cut', means: 'the prefix was cut: from here on the call repeats nothing' },
  compared: { word: 'compared with', means: 'the call that this one is compared with' },
  draft: { word: 'working state', means: 'what the next call would be sent' },
  found: { word: 'has the words', means: 'the block has the words that are searched' },
  cached: { word: 'read from the provider’s cache', means: 'up to here the provider read from its cache, as it counted' },
  broke: { word: 'it read less than was left', means: 'the provider read less than the call before had left' },
}

/** A mark in the legend. */
export function Mark({ of }: { of: keyof typeof marks }) {
  return <li><i class={'mark-' + of} />{marks[of].word}</li>
}
