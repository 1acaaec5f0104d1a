"""What the server answers and takes.

Made by tools/generate.py from docs/openapi.json, whose
SHA-256 is edfd6b376c384b7b879dd25ebd69dcfa37a819992ef0b0927a6aa9aa5463a1dc.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from typing_extensions import NotRequired, TypedDict
else:
    from typing import TypedDict


class Attempt(TypedDict):
    attempt_id: str
    cycle_id: int
    ended_at: str | None
    error: NotRequired[str]
    model: str
    params_hash: str
    provider: str
    started_at: str
    status: Literal["running", "completed", "canceled", "error"]
    thread_hash: str
    token_in: int | None
    token_out: int | None


class Attempts(TypedDict):
    forms: list[Literal["canonical", "openai", "responses", "anthropic", "gemini", "text", "markdown", "verbatim"]]
    items: list[Attempt]
    next: NotRequired[int]
    recorded: NotRequired[list[str] | None]


class BegunBy(TypedDict):
    context: str
    cycle: NotRequired[int]
    node: NotRequired[str]


class CallList(TypedDict):
    as_of: str
    currency: str
    items: list[ViewCall]
    next: NotRequired[int]
    tokenizer: NotRequired[str]
    unit: Literal["bytes", "tokens"]


class Committed(TypedDict):
    blocks: int
    bytes: int
    cycle: int
    digest: str
    ids: NotRequired[list[str] | None]
    repeated: NotRequired[bool]
    report: NotRequired[LifecycleReport]
    revision: int


class Committing(TypedDict):
    actor: NotRequired[str]
    cycle: int
    edits: NotRequired[list[Edit] | None]
    message: NotRequired[str]
    pruning: NotRequired[Pruning]


class ContextInfo(TypedDict):
    aside: NotRequired[int]
    begun_by: NotRequired[BegunBy]
    bytes: NotRequired[int]
    calls: NotRequired[int]
    changed: NotRequired[str]
    cuts: NotRequired[list[float] | None]
    cycles: int
    edition: str
    first_cycle: int
    forked_from: NotRequired[ForkedFrom]
    last_cycle: int
    name: str
    revision: int
    selectors: NotRequired[list[InspectMigrated] | None]
    state: NotRequired[Digested]
    sums: NotRequired[Summed]


class ContextPage(TypedDict):
    items: list[ContextInfo]
    next: NotRequired[str]


class DiffCause(TypedDict):
    actor: NotRequired[str]
    cycle: int
    inferred: NotRequired[bool]
    kind: str
    message: NotRequired[str]
    revision: NotRequired[int]
    rule: NotRequired[str]


class DiffComponent(TypedDict):
    cause: DiffCause
    id: str
    new_range: DiffRange | None
    nodeType: str
    parent_id: str
    previous_range: DiffRange | None


class DiffContentDiff(TypedDict):
    diff: NotRequired[str]
    hunks: NotRequired[list[DiffHunk] | None]
    mime: NotRequired[str]
    mode: str
    patch: NotRequired[Any]
    summary: DiffContentSummary


class DiffContentSummary(TypedDict):
    bytesNewer: int
    bytesOlder: int
    identical: bool
    truncated: bool


class DiffField(TypedDict):
    name: str
    new: Any
    previous: Any


DiffHeaderValues = TypedDict(
    "DiffHeaderValues",
    {
        "from": "dict[str, Any]",
        "to": "dict[str, Any]",
    },
)


class DiffHunk(TypedDict):
    op: Literal["keep", "del", "ins"]
    text: str


class DiffModification(TypedDict):
    cause: DiffCause
    content_diff: NotRequired[DiffContentDiff]
    fields: list[DiffField]
    id: str
    new_range: DiffRange | None
    nodeType: str
    offset_changed: NotRequired[DiffOffsetChanged]
    parent_changed: NotRequired[DiffParentChanged]
    previous_range: DiffRange | None


class DiffMove(TypedDict):
    cause: DiffCause
    content_hash: str
    new_id: str
    new_parent_id: str
    new_range: DiffRange | None
    previous_id: str
    previous_parent_id: str
    previous_range: DiffRange | None


class DiffNodeChange(TypedDict):
    content_diff: NotRequired[DiffContentDiff]
    delta: NotRequired[dict[str, DiffValues]]
    fields: list[str] | None
    id: str
    materialized: NotRequired[DiffHeaderValues]


class DiffOffsetChanged(TypedDict):
    new_offset: int
    previous_offset: int


class DiffParentChanged(TypedDict):
    new_parent_id: str
    previous_parent_id: str


class DiffRange(TypedDict):
    end: int
    start: int


DiffRangeBlock = TypedDict(
    "DiffRangeBlock",
    {
        "added_ids": "list[str]",
        "changed": "list[DiffNodeChange]",
        "from": "DiffSnapshotRef",
        "removed_ids": "list[str]",
        "stats": "DiffRangeStats",
        "to": "DiffSnapshotRef",
    },
)


class DiffRangeDiffLatestResult(TypedDict):
    diffs: list[DiffRangeBlock]
    errors: NotRequired[list[DiffRangeError] | None]
    limits: NotRequired[DiffRangeLimits]
    mode: str
    query: str
    snapshots: list[DiffSnapshotRef]
    warnings: NotRequired[list[str] | None]


class DiffRangeError(TypedDict):
    code: str
    fatal: bool
    message: str


class DiffRangeLimits(TypedDict):
    maxChangesPerSnapshot: NotRequired[int]
    maxSnapshots: NotRequired[int]
    truncated: bool


class DiffRangeStats(TypedDict):
    added: int
    changed: int
    removed: int


class DiffReplacement(TypedDict):
    cause: DiffCause
    content_diff: NotRequired[DiffContentDiff]
    key: str
    new_id: str
    new_range: DiffRange | None
    previous_id: str
    previous_range: DiffRange | None


DiffReport = TypedDict(
    "DiffReport",
    {
        "children_added": "dict[str, list[str] | None]",
        "children_removed": "dict[str, list[str] | None]",
        "components_added": "list[DiffComponent]",
        "components_modified": "list[DiffModification]",
        "components_removed": "list[DiffComponent]",
        "from": "DiffSide",
        "moves": "list[DiffMove]",
        "replacements": "list[DiffReplacement]",
        "to": "DiffSide",
    },
)


class DiffSide(TypedDict):
    blocks: int
    bytes: int
    cycle: int
    label: str


class DiffSnapshotRef(TypedDict):
    cycle: int
    kind: str
    label: str
    value: int


DiffValues = TypedDict(
    "DiffValues",
    {
        "from": "Any",
        "to": "Any",
    },
)


class Digested(TypedDict):
    cycle: int
    digest: str


class Edit(TypedDict):
    at: NotRequired[str]
    depth: NotRequired[int]
    id: NotRequired[str]
    ids: NotRequired[list[str] | None]
    into: NotRequired[str]
    node: NotRequired[NewNode]
    offset: NotRequired[int]
    op: Literal["add", "result", "update", "replace", "move", "remove", "reorder", "policy"]
    policy: NotRequired[LifecyclePolicy | str]
    set: NotRequired[dict[str, Any]]


class Edited(TypedDict):
    digest: str
    ids: NotRequired[list[str] | None]
    repeated: NotRequired[bool]
    revision: int


class Editing(TypedDict):
    actor: NotRequired[str]
    cycle: int
    edits: list[Edit]
    message: NotRequired[str]


class Erasing(TypedDict):
    actor: NotRequired[str]
    dry_run: NotRequired[bool]
    ids: NotRequired[list[str] | None]
    reason: NotRequired[str]
    revisions: NotRequired[list[int] | None]
    texts: NotRequired[list[str] | None]


class Failure(TypedDict):
    code: str
    detail: str
    line: NotRequired[int]
    meanwhile: NotRequired[list[Written] | None]
    node: NotRequired[str]
    offset: NotRequired[int]
    remedy: NotRequired[str]
    status: int
    title: str
    token: NotRequired[str]


class ForkedFrom(TypedDict):
    cycle: int
    name: str


class Forking(TypedDict):
    actor: NotRequired[str]
    at: NotRequired[str]
    message: NotRequired[str]
    name: str


class Found(TypedDict):
    error: NotRequired[Failure]
    explanation: NotRequired[InspectExplanation]
    ids: list[str]
    normal: NotRequired[str]
    range: NotRequired[DiffRangeDiffLatestResult]
    warnings: NotRequired[list[str]]


class HistoryEntry(TypedDict):
    actor: NotRequired[str]
    cycle: int
    digest: NotRequired[str]
    kind: str
    message: NotRequired[str]
    report: NotRequired[Any]
    request: NotRequired[str]
    revision: int
    sent: NotRequired[str]
    thread: NotRequired[str]
    time_ns: int


class HistoryErased(TypedDict):
    attempts: NotRequired[int]
    contexts: NotRequired[list[str] | None]
    digests: NotRequired[int]
    entries: NotRequired[int]
    ids: NotRequired[list[str] | None]
    receipt: NotRequired[str]
    remains: NotRequired[str]
    salt_sha256: NotRequired[str]
    versions: NotRequired[int]


class Imported(TypedDict):
    contexts: list[ContextInfo]
    findings: NotRequired[list[InspectFinding] | None]


class InspectCachedPrefix(TypedDict):
    lost_bytes: int
    lost_tokens: NotRequired[int]
    prefix: InspectSharedPrefix | None
    reasoning_behind: int
    with_bytes: int
    without_bytes: int


class InspectEvent(TypedDict):
    cause: NotRequired[DiffCause]
    cycle: int
    draft: NotRequired[bool]
    fields: NotRequired[list[DiffField] | None]
    kept: NotRequired[str]
    node: NotRequired[str]
    parent_id: NotRequired[str]
    reason: NotRequired[str]
    region: NotRequired[str]
    turn: NotRequired[str]
    until: NotRequired[int]
    what: str


class InspectExplainedGroup(TypedDict):
    steps: list[InspectExplainedStep]
    text: str


class InspectExplainedStep(TypedDict):
    reach: str
    skips: NotRequired[list[str] | None]
    text: str


class InspectExplanation(TypedDict):
    choice: NotRequired[str]
    edition: str
    groups: list[InspectExplainedGroup]
    nodes: int
    order: str
    returned: int
    selector: str
    skipped: int
    snapshots: int
    visited: int
    window: NotRequired[list[str] | None]


class InspectFinding(TypedDict):
    code: str
    message: str
    node: NotRequired[str]


InspectMigrated = TypedDict(
    "InspectMigrated",
    {
        "cycle": "NotRequired[int]",
        "doubts": "NotRequired[list[str] | None]",
        "from": "str",
        "rule": "int",
        "to": "NotRequired[str]",
    },
)


class InspectPrunePlan(TypedDict):
    after: InspectWeight
    before: InspectWeight
    cached: NotRequired[InspectCachedPrefix]
    cycle: int
    report: LifecycleReport


class InspectSharedPrefix(TypedDict):
    blocks: int
    bytes: int
    complete: bool
    newer: NotRequired[str]
    of_blocks: int
    of_bytes: int
    of_tokens: NotRequired[int]
    older: NotRequired[str]
    tokens: NotRequired[int]


InspectTimeline = TypedDict(
    "InspectTimeline",
    {
        "children": "list[str]",
        "class": "str",
        "cycle": "int",
        "events": "list[InspectEvent]",
        "expiry": "int | None",
        "first_snapshot": "int | None",
        "id": "str",
        "key": "NotRequired[str]",
        "kind": "NotRequired[str]",
        "last_snapshot": "int | None",
        "nodeType": "str",
        "parent_id": "NotRequired[str]",
        "range": "DiffRange | None",
        "referred_by": "list[str]",
        "refs": "list[str]",
        "role": "NotRequired[str]",
        "state": "str",
        "turn": "NotRequired[str]",
    },
)


class InspectWeight(TypedDict):
    blocks: int
    bytes: int
    nodes: int
    tokens: NotRequired[int]
    turns: int


class LifecycleKept(TypedDict):
    by: NotRequired[str]
    id: str
    kept: str
    reason: str


class LifecycleOrphan(TypedDict):
    id: str
    what: str


class LifecycleOver(TypedDict):
    has: int
    limit: str
    most: int


class LifecyclePart(TypedDict):
    kind: NotRequired[str]
    max_bytes: NotRequired[int]
    max_nodes: NotRequired[int]
    max_tokens: NotRequired[int]
    max_turns: NotRequired[int]
    region: NotRequired[str]
    tag: NotRequired[str]


class LifecyclePolicy(TypedDict):
    every: NotRequired[int]
    max_bytes: NotRequired[int]
    max_nodes: NotRequired[int]
    max_tokens: NotRequired[int]
    max_turns: NotRequired[int]
    min_bytes: NotRequired[int]
    min_tokens: NotRequired[int]
    orphans: NotRequired[str]
    parts: NotRequired[list[LifecyclePart] | None]
    protect_task: NotRequired[bool]
    protect_turns: NotRequired[int]
    ranks: NotRequired[dict[str, int]]
    rules: NotRequired[list[LifecycleRule] | None]
    strict: NotRequired[bool]
    stub: NotRequired[str]
    tokenizer: NotRequired[str]
    when: NotRequired[str]
    whole_pairs: NotRequired[bool]


class LifecyclePostponed(TypedDict):
    until: NotRequired[int]
    would_free: LifecycleSavings


class LifecycleRemoval(TypedDict):
    id: str
    number: NotRequired[int]
    reason: str
    rule: NotRequired[str]


class LifecycleReport(TypedDict):
    budget: NotRequired[str]
    freed: NotRequired[LifecycleSavings]
    held: NotRequired[list[LifecycleKept] | None]
    orphans: NotRequired[list[LifecycleOrphan] | None]
    over: NotRequired[list[LifecycleOver] | None]
    policy: NotRequired[LifecyclePolicy]
    removed: NotRequired[list[LifecycleRemoval] | None]
    retained: NotRequired[list[str] | None]
    ruled: NotRequired[list[LifecycleRuled] | None]
    stubs: NotRequired[list[LifecycleStub] | None]
    waiting: NotRequired[LifecyclePostponed]


class LifecycleRule(TypedDict):
    head: NotRequired[int]
    keep: NotRequired[bool]
    once: NotRequired[bool]
    pinned: NotRequired[bool]
    priority: NotRequired[int]
    select: str
    stub: NotRequired[bool]
    tail: NotRequired[int]
    ttl: NotRequired[int]


class LifecycleRuled(TypedDict):
    does: str
    id: str
    rule: int


class LifecycleSavings(TypedDict):
    bytes: int
    nodes: int
    tokens: NotRequired[int]


LifecycleStub = TypedDict(
    "LifecycleStub",
    {
        "for": "list[str] | None",
        "id": "str",
    },
)


class LogPage(TypedDict):
    items: list[HistoryEntry]
    next: NotRequired[int]


class MatchPage(TypedDict):
    failed: NotRequired[list[Unsearched] | None]
    items: list[Occurrences]
    next: NotRequired[str]


class NewContext(TypedDict):
    attrs: NotRequired[dict[str, Any]]
    copy: NotRequired[str]
    edition: NotRequired[str]
    force: NotRequired[bool]
    name: str


class NewNode(TypedDict):
    attrs: NotRequired[dict[str, Any]]
    cad: NotRequired[int]
    content: NotRequired[Any]
    encoding: NotRequired[str]
    id: NotRequired[str]
    key: NotRequired[str]
    kind: NotRequired[str]
    mime: NotRequired[str]
    nodeType: NotRequired[str]
    offset: NotRequired[int]
    pinned: NotRequired[bool]
    priority: NotRequired[int]
    provenance: NotRequired[str]
    refs: NotRequired[list[str] | None]
    removable: NotRequired[bool]
    role: NotRequired[str]
    tags: NotRequired[list[str] | None]
    ttl: NotRequired[int]


class Occurrence(TypedDict):
    count: int
    first: int
    id: str
    last: int
    line: str
    role: NotRequired[str]
    shown_kind: NotRequired[str]
    state: NotRequired[Literal["unsent", "unanswered", "working"]]


class Occurrences(TypedDict):
    context: str
    items: list[Occurrence]
    total: int


class Policies(TypedDict):
    items: list[ReadyPolicy]
    kept: NotRequired[LifecyclePolicy]


class Pruning(TypedDict):
    ids: NotRequired[list[str] | None]
    policy: NotRequired[LifecyclePolicy | str]
    rewrite: NotRequired[list[str] | None]
    select: NotRequired[list[str] | None]


class PublishedDetails(TypedDict):
    expected_snapshot: NotRequired[str]
    field: NotRequired[str]
    found_snapshot: NotRequired[str]
    line: NotRequired[int]
    meanwhile: NotRequired[list[Written] | None]
    node: NotRequired[str]
    node_temp_id: NotRequired[str]
    offset: NotRequired[int]
    parent_id: NotRequired[str]
    pos: NotRequired[int]
    reason: str
    remedy: NotRequired[str]
    token: NotRequired[str]


class PublishedError(TypedDict):
    code: str
    details: PublishedDetails
    message: str


class PublishedFailure(TypedDict):
    error: PublishedError


class ReadyPolicy(TypedDict):
    name: str
    policy: LifecyclePolicy


class RecordErased(TypedDict):
    attempts: NotRequired[int]
    contexts: NotRequired[list[str] | None]
    digests: NotRequired[int]
    entries: NotRequired[int]
    ids: NotRequired[list[str] | None]
    originals: NotRequired[list[HistoryErased] | None]
    receipt: NotRequired[str]
    remains: NotRequired[str]
    salt_sha256: NotRequired[str]
    versions: NotRequired[int]


class RecordPrice(TypedDict):
    cache_read: float
    cache_write: float
    cache_write_1h: float
    input: float
    model: str
    output: float
    source: NotRequired[str]
    terms: NotRequired[str]
    up_to: NotRequired[int]
    window: NotRequired[int]


class RecordPrices(TypedDict):
    as_of: str
    currency: str
    models: list[RecordPrice] | None


class Renaming(TypedDict):
    name: str


class SignIn(TypedDict):
    token: str


class SimulateCall(TypedDict):
    broke: NotRequired[bool]
    cost: NotRequired[float]
    cycle: int
    read: int
    reasoning: NotRequired[int]
    removed: NotRequired[int]
    sent: int
    written: int


class SimulateFinding(TypedDict):
    cost: NotRequired[float]
    cycle: NotRequired[int]
    evidence: Literal["counted", "seen", "computed"]
    helps: NotRequired[LifecycleRule]
    node: NotRequired[str]
    saves: NotRequired[float]
    says: str
    tokens: NotRequired[int]
    what: Literal["prefix", "repeated", "carried", "unused", "compaction", "window", "policy", "uncached"]


class SimulateOutcome(TypedDict):
    again: NotRequired[int]
    breaks: int
    by_call: NotRequired[list[SimulateCall] | None]
    cost: NotRequired[float]
    ended: NotRequired[str]
    further_calls: NotRequired[int]
    over: NotRequired[int]
    policy: str
    read: int
    reasoning: int
    regrets: NotRequired[list[SimulateRegret] | None]
    removed: int
    sent: int
    shaped: int
    written: int


class SimulateRegret(TypedDict):
    cycle: int
    node: str
    of: str
    shortened: NotRequired[bool]
    text: NotRequired[str]
    tool: NotRequired[str]


class SimulateReport(TypedDict):
    as_of: NotRequired[str]
    calls: int
    counter: str
    currency: NotRequired[str]
    dialect: str
    findings: list[SimulateFinding]
    model: NotRequired[str]
    run: str
    scaled: bool
    spent: SimulateSpent
    untried: NotRequired[str]
    window: NotRequired[int]


class SimulateResult(TypedDict):
    as_of: NotRequired[str]
    calls: int
    counter: str
    currency: NotRequired[str]
    dialect: str
    model: NotRequired[str]
    outcomes: list[SimulateOutcome]
    run: str
    scaled: bool
    sentences: list[str]
    window: NotRequired[int]


class SimulateSpent(TypedDict):
    breaks: NotRequired[int]
    cost: NotRequired[float]
    counted: int
    evidence: Literal["counted", "computed"]
    lost: NotRequired[float]
    out: int
    priced: int
    read: int
    sent: int
    told: int
    written: int


class SimulatedPolicy(TypedDict):
    name: str
    policy: NotRequired[LifecyclePolicy]


class Simulating(TypedDict):
    calls: NotRequired[bool]
    dialect: NotRequired[str]
    model: NotRequired[str]
    policies: NotRequired[list[SimulatedPolicy] | None]
    prices: NotRequired[RecordPrices]
    tokenizer: NotRequired[str]
    when: NotRequired[Literal["now", "pays", "cold"]]


class Summed(TypedDict):
    broke: int
    calls: int
    cost: float
    currency: str
    priced: int


class Undoing(TypedDict):
    actor: NotRequired[str]
    message: NotRequired[str]


class Undone(TypedDict):
    context: ContextInfo
    undone: str


class Unsearched(TypedDict):
    context: str
    error: str


ViewAttempts = TypedDict(
    "ViewAttempts",
    {
        "cached": "NotRequired[int]",
        "cost": "NotRequired[float]",
        "failed": "int",
        "in": "NotRequired[int]",
        "model": "NotRequired[str]",
        "n": "int",
        "out": "NotRequired[int]",
        "window": "NotRequired[int]",
    },
)


class ViewAttribute(TypedDict):
    name: str
    values: NotRequired[list[str] | None]


class ViewBlock(TypedDict):
    by: NotRequired[str]
    bytes: int
    call: NotRequired[str]
    calls: int
    cycle: int
    erased: NotRequired[bool]
    failed: NotRequired[bool]
    first: str
    id: str
    new: bool
    nodeType: NotRequired[str]
    place: int
    result: NotRequired[str]
    shown_kind: str
    shown_role: NotRequired[str]
    start: int
    stub: NotRequired[bool]
    tokens: NotRequired[int]
    tool: NotRequired[str]


class ViewBlockPage(TypedDict):
    cut: NotRequired[ViewThreadCut]
    items: list[ViewBlock]
    next: NotRequired[int]
    sums: list[ViewKindSum]
    total: int


class ViewCacheBreak(TypedDict):
    again: NotRequired[int]
    cause_evidence: Literal["counted", "seen", "computed", "unknown"]
    cost: NotRequired[float]
    evidence: Literal["counted", "computed", "seen"]
    node: NotRequired[str]
    why: str


class ViewCall(TypedDict):
    actor: NotRequired[str]
    at: NotRequired[str]
    attempts: NotRequired[ViewAttempts]
    blocks: int
    broke: NotRequired[ViewCacheBreak]
    bytes: int
    cut: NotRequired[ViewCallCut]
    cycle: int
    message: NotRequired[str]
    sentence: str
    shared: int
    size: int
    tokens: NotRequired[int]


class ViewCallCut(TypedDict):
    at: int
    cause: str
    kind: NotRequired[str]
    lost: int
    node: NotRequired[str]


class ViewColumn(TypedDict):
    bands: list[list[Any] | None]
    broke: NotRequired[bool]
    cached: int | None
    cut: int | None
    cycle: int
    draft: NotRequired[bool]
    keep: int
    shared: int
    size: int


class ViewKindSum(TypedDict):
    blocks: int
    bytes: int
    kind: str
    tokens: NotRequired[int]


class ViewNames(TypedDict):
    attributes: list[ViewAttribute]
    keys: list[str]
    kinds: list[str]
    roles: list[str]
    tags: list[str]
    tools: list[str]
    types: list[str]


ViewNode = TypedDict(
    "ViewNode",
    {
        "attrs": "NotRequired[dict[str, Any]]",
        "by": "NotRequired[str]",
        "bytes": "int",
        "cad": "NotRequired[int]",
        "carried": "list[ViewSpan]",
        "class": "str",
        "complete": "bool",
        "content_bytes": "int",
        "content_form": "NotRequired[Literal[\"text\", \"json\"]]",
        "content_hash": "NotRequired[str]",
        "created_at_iso": "NotRequired[str]",
        "creation_index": "int",
        "cycle": "int",
        "encoding": "NotRequired[str]",
        "end": "int",
        "erased": "NotRequired[bool]",
        "failed": "NotRequired[bool]",
        "id": "str",
        "key": "NotRequired[str]",
        "kind": "NotRequired[str]",
        "message": "NotRequired[str]",
        "mime": "NotRequired[str]",
        "nodeType": "str",
        "offset": "int",
        "parent_id": "NotRequired[str]",
        "pinned": "NotRequired[bool]",
        "place": "int",
        "priority": "int",
        "provenance": "NotRequired[str]",
        "referred_by": "list[str]",
        "refs": "list[str]",
        "region": "NotRequired[str]",
        "removable": "NotRequired[bool]",
        "role": "NotRequired[str]",
        "shown_kind": "NotRequired[str]",
        "shown_role": "NotRequired[str]",
        "stands_for": "NotRequired[list[str]]",
        "start": "int",
        "tags": "NotRequired[list[str] | None]",
        "text": "NotRequired[str]",
        "tokens": "NotRequired[int]",
        "tool": "NotRequired[str]",
        "ttl": "int | None",
        "turn": "NotRequired[str]",
    },
)


ViewPicture = TypedDict(
    "ViewPicture",
    {
        "actors": "list[str]",
        "columns": "list[ViewColumn]",
        "from": "int",
        "kinds": "list[str]",
        "max": "int",
        "rows": "int",
        "step": "int",
        "to": "int",
        "unit": "Literal[\"bytes\", \"tokens\"]",
    },
)


ViewSpan = TypedDict(
    "ViewSpan",
    {
        "from": "int",
        "to": "int",
    },
)


class ViewThreadCut(TypedDict):
    cause: NotRequired[str]
    height: int
    node: NotRequired[str]
    start: int


class ViewTreePage(TypedDict):
    items: list[ViewTreeRow]
    next: NotRequired[int]
    total: int


ViewTreeRow = TypedDict(
    "ViewTreeRow",
    {
        "blocks": "int",
        "bytes": "int",
        "children": "int",
        "class": "str",
        "cycle": "int",
        "depth": "int",
        "first": "NotRequired[str]",
        "id": "str",
        "key": "NotRequired[str]",
        "kind": "NotRequired[str]",
        "nodeType": "str",
        "offset": "int",
        "region": "NotRequired[str]",
        "role": "NotRequired[str]",
        "tokens": "NotRequired[int]",
        "ttl": "NotRequired[int]",
    },
)


class Written(TypedDict):
    actor: NotRequired[str]
    cycle: int
    kind: str
    message: NotRequired[str]
    revision: int


# What the answer to a request has in any case; {} stands for a name.
ANSWERS: dict[tuple[str, ...], set[str]] = {
    ("GET", "v1", "contexts"): {"items"},
    ("POST", "v1", "contexts"): {"name", "edition", "first_cycle", "last_cycle", "cycles", "revision"},
    ("GET", "v1", "contexts", "{}"): {"name", "edition", "first_cycle", "last_cycle", "cycles", "revision"},
    ("PATCH", "v1", "contexts", "{}"): {"name", "edition", "first_cycle", "last_cycle", "cycles", "revision"},
    ("GET", "v1", "contexts", "{}", "attempts"): {"items", "forms"},
    ("GET", "v1", "contexts", "{}", "blocks"): {"items", "total", "sums"},
    ("GET", "v1", "contexts", "{}", "calls"): {"unit", "currency", "as_of", "items"},
    ("POST", "v1", "contexts", "{}", "commits"): {"cycle", "revision", "digest", "blocks", "bytes"},
    ("GET", "v1", "contexts", "{}", "diff"): {"from", "to", "components_added", "components_removed", "components_modified", "children_added", "children_removed", "moves", "replacements"},
    ("POST", "v1", "contexts", "{}", "edits"): {"revision", "digest"},
    ("GET", "v1", "contexts", "{}", "findings"): {"spent", "findings", "run", "calls", "dialect", "counter", "scaled"},
    ("POST", "v1", "contexts", "{}", "fork"): {"name", "edition", "first_cycle", "last_cycle", "cycles", "revision"},
    ("GET", "v1", "contexts", "{}", "log"): {"items"},
    ("GET", "v1", "contexts", "{}", "names"): {"types", "attributes", "roles", "kinds", "keys", "tags", "tools"},
    ("GET", "v1", "contexts", "{}", "nodes", "{}"): {"id", "nodeType", "class", "offset", "priority", "ttl", "refs", "cycle", "creation_index", "complete", "content_bytes", "bytes", "start", "end", "place", "referred_by", "carried"},
    ("GET", "v1", "contexts", "{}", "nodes", "{}", "life"): {"id", "nodeType", "class", "state", "cycle", "expiry", "first_snapshot", "last_snapshot", "children", "refs", "referred_by", "range", "events"},
    ("POST", "v1", "contexts", "{}", "plan"): {"cycle", "report", "before", "after"},
    ("GET", "v1", "contexts", "{}", "select"): {"ids"},
    ("POST", "v1", "contexts", "{}", "simulation"): {"outcomes", "sentences", "run", "calls", "dialect", "counter", "scaled"},
    ("GET", "v1", "contexts", "{}", "strata"): {"unit", "from", "to", "step", "rows", "max", "kinds", "actors", "columns"},
    ("GET", "v1", "contexts", "{}", "tree"): {"items", "total"},
    ("POST", "v1", "contexts", "{}", "undo"): {"context", "undone"},
    ("GET", "v1", "grep"): {"items"},
    ("POST", "v1", "import"): {"contexts"},
    ("GET", "v1", "policies"): {"items"},
}
