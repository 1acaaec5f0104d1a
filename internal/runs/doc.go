// Package runs reports on whole runs of calls: where two of them part, whether a run keeps within limits, what the
// calls of sub-agents and forks repeat of those of their parents, and what each compaction took, cost and saved. Each
// report reads the calls with [view.Walk], once.
package runs
