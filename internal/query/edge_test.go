package query_test

import "testing"

// An empty text is a value, and a region may carry a namespaced type.
func TestEmptyTextsAndForeignRegions(t *testing.T) {
	answers{
		{v01, ".cb[role='']", "a"},
		{v01, ".cb[kind='']", "a"},
		{v01, ".cb[role!='']", "b"},
		{canonical, ".block", "b a"},
	}.check(t, plant(t, 1, `
^root root
 ^seq:x seq
  seg t1
   block a role= kind=
  seg t2
   block b role=user
`))
}

// An id that begins another one is before it, and ends a path there.
func TestPathOrderComparesIDByID(t *testing.T) {
	answers{
		{canonical, "* @order=path", "r a z a! b"},
		{canonical, ".block @order=path", "z b"},
	}.check(t, plant(t, 1, `
^root r
 ^ah a!
  block b
 ^sys a
  block z
`))
}

// A namespaced type finds the nodes of that very nodeType too, whatever their
// kind header says (001, 003 §7.3), in either vocabulary, and so does the kind behind the colon (§3.2).
func TestANamespacedTypeFindsItsOwnNodeType(t *testing.T) {
	answers{
		{canonical, ".block:summary", "exact bare words old"},
		{canonical, "[nodeType='block:summary']", "exact bare words old"},
		{canonical, "[nodeType='cb:summary']", "exact bare words old"},
		{depth, ".cb:summary", "exact bare words old"},
		{depth, "[nodeType=['cb:summary','cb:text']]", "exact bare words old text"},
		{canonical, ".block:call", "exact"},
		{canonical, ".block[nodeType!='block:summary']", "text"},
		{canonical, ".block[kind='summary']", "exact bare words old"},
		{canonical, "[nodeType='block'][kind='summary']", "exact bare words old"},
		{canonical, ".block[kind='call']", "exact"},
		{canonical, ".block[kind!='summary']", "text"},
		{canonical, ".block[kind<'note']", "exact"},
		{canonical, ".block[kind~'^no']", "old"},
		{v01, ".cb[kind='summary']", "words"},
		{canonical, ".block:summary:first", "exact"},
		{canonical, ".block:summary[kind='note']", "old"},
		{canonical, "?? {type='cb:summary', kind=call}", "exact"},
		{v01, ".cb:summary", "exact bare old"},
		{v01, "[nodeType='cb:summary']", "exact bare old"},
	}.check(t, plant(t, 1, `
^root root
 ^sys sys
  block:summary exact kind=call
  block:summary bare
  block words kind=summary
  cb:summary old kind=note
  cb text kind=text
`))
}
