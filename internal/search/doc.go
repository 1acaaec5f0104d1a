// Package search runs a selector on several snapshots and merges the answers:
// nodes (04 §2.2), or the changes from each snapshot to the next (04 §4). It knows
// neither store nor addresses: the caller passes the trees.
package search
