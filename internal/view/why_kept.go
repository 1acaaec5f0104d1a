package view

// WhyKept says why a node was due to go and what kept it.
func WhyKept(reason, kept, by string) string {
	text, node := map[string]string{"expired": "expired", "expiry": "expired", "pruned": "to be pruned",
		"pruning": "to be pruned", "cascade": "left empty", "orphan": "left alone by expiry"}[reason], Visible(by)
	switch {
	case kept == "referenced" && by != "":
		return text + ", kept: " + node + " refers to it"
	case kept == "contains":
		return text + ", kept: " + node + " below it stays"
	case kept == "task":
		return text + ", kept: the first message of the user"
	case kept == "recent":
		return text + ", kept: among the most recent turns"
	case kept == "waiting":
		return text + ", kept: pruning waits"
	case kept == "whole" && by != "":
		return text + ", kept: " + node + " would have to go too, and was not named"
	case kept == "whole":
		return text + ", kept: only a whole turn or a block outside a core can be pruned"
	case by != "":
		return text + ", kept: " + node + " is " + kept
	}
	return text + ", kept: " + kept
}
