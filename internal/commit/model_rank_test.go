package commit_test

// firstOfUser is the user's first message: the first block outside ^sys that says so, or
// says no role, and is neither a result nor a stub.
func (r *model) firstOfUser() string {
	for _, id := range r.blocks() {
		i := r.modelTree[id]
		if r.region(id) != "^sys" && (i.role == "user" || i.role == "") && i.kind != "result" && i.kind != "stub" {
			return id
		}
	}
	return ""
}

// rankOf returns the entry of the table for a block: of its kind, else of its role.
func (p *modelPruner) rankOf(i *modelNode, region string) int64 {
	role := i.role
	if role == "" {
		role = map[bool]string{true: "system", false: "user"}[region == "^sys"]
	}
	if rank, is := p.policy.Ranks[i.kind]; is && i.kind != "" {
		return rank
	}
	return p.policy.Ranks[role]
}

// priorityOf is the priority that decides: a sealed block's own and its rank, a turn's own
// or the highest of what it held when pruning began, stubs last and by their rank alone.
func (p *modelPruner) priorityOf(id string) int64 {
	i := p.modelTree[id]
	region := p.region(id)
	if len(p.policy.Ranks) == 0 || region == "^ah" || i.kind == "stub" && i.class == "block" {
		return i.priority
	}
	if i.class != "turn" {
		return i.priority + p.rankOf(i, region)
	}
	var words, stubs []int64
	for _, below := range p.began.below(id) {
		switch b := p.began.modelTree[below]; {
		case b.class == "block" && b.kind == "stub":
			stubs = append(stubs, p.rankOf(b, region))
		case b.class == "block":
			words = append(words, b.priority+p.rankOf(b, region))
		}
	}
	if words == nil {
		words = stubs
	}
	if i.priority != 0 || words == nil {
		return i.priority
	}
	most := words[0]
	for _, n := range words {
		most = max(most, n)
	}
	return most
}
