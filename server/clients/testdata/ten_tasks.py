import json, os
from pact_api import AuthenticatedClient
from pact_api.api.contexts import (commit, diff, fork_context, get_thread, list_calls, list_contexts, plan_pruning,
                                   select, undo_commit, verify)
from pact_api.api.import_ import import_
from pact_api.models import (Committing, Edit, EditOp, Failure, Forking, GetThreadAs, ImportForm, LifecyclePolicy,
                             NewNode, Pruning, Undoing)
from pact_api.types import File

client = AuthenticatedClient(os.environ["PACT_URL"], os.environ["PACT_TOKEN"])

# 1. Bring in a conversation
with open("examples/conversations/repair.jsonl", "rb") as log:
    made = import_.sync(client=client, body=File(log), name="repair", form=ImportForm.HISTORY)
print(made.contexts[0].cycles, "calls")

# 2. List what is there
for context in list_contexts.sync(client=client, details=True).items:
    print(context.name, context.calls, "calls,", context.bytes_, "bytes")

# 3. See what call 3 sent
sent = get_thread.sync_detailed("repair", client=client, at="@c3", as_=GetThreadAs.OPENAI)
print(sent.headers["ETag"], [m["role"] for m in json.loads(sent.content)])

# 4. Find nodes
print(select.sync("repair", client=client, q="@c5 [kind='result'][failed]").ids)

# 5. Ask why the cache of the provider was missed
for call in list_calls.sync("repair", client=client).items:
    if call.cut:
        print(call.sentence)

# 6. Compare two calls
changed = diff.sync("repair", client=client, from_="@c3", to="@c4")
print("added", [c.id for c in changed.components_added], "removed", [c.id for c in changed.components_removed])

# 7. Add a message and end the cycle
question = Edit(EditOp.ADD, into="^ah", node=NewNode(role="user", content="And in summer?"))
for attempt in range(2):
    committed = commit.sync("repair", client=client, body=Committing(cycle=5, edits=[question]), idempotency_key="guide-7")
    print("cycle", committed.cycle, "again" if committed.repeated else "new")
late = commit.sync("repair", client=client, body=Committing(cycle=5, edits=[question]))
assert isinstance(late, Failure)
print(late.code)

# 8. Ask what a limit would remove
plan = plan_pruning.sync("repair", client=client, body=Pruning(policy=LifecyclePolicy(max_bytes=1500)))
print(plan.before.bytes_, "bytes before,", plan.after.bytes_, "after")

# 9. Try another answer, or go back
print(fork_context.sync("repair", client=client, body=Forking(name="other", at="@c3")).last_cycle)
print(undo_commit.sync("repair", client=client, body=Undoing()).undone)

# 10. Check that nothing was changed
lines = verify.sync("repair", client=client).payload.read().splitlines()
print(json.loads(lines[-1])["done"], "snapshots hold")
