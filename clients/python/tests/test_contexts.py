"""What a program does with a database, a context and a snapshot."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import pactctx


def begin(db: pactctx.Database) -> pactctx.Context:
    chat = db.create("chat")
    with chat.edit(message="begin", actor="tester") as batch:
        batch.add("Be brief.", into="^sys", role="system", id="rules")
        batch.add("How warm is it?", role="user")
        batch.add(
            {"name": "weather", "arguments": '{"at":"here"}'},
            role="assistant",
            kind="call",
            id="asked",
            offset=1,
            attrs={"wire:call": "call_1"},
        )
        batch.result("asked", "21 degrees", offset=1, id="said")
    assert len(batch.ids) == 4 and batch.ids[0] == "rules"
    return chat


def test_thread_has_the_form_of_each_api(db: pactctx.Database) -> None:
    snapshot = begin(db).commit()
    assert snapshot.cycle == 1 and snapshot.address == "@c1"
    call = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"at":"here"}'}}
    assert snapshot.thread() == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "How warm is it?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "21 degrees"},
    ]
    assert [i.get("type") for i in snapshot.thread("responses")["input"]][2:] == [
        "function_call",
        "function_call_output",
    ]
    anthropic = snapshot.thread("anthropic")
    assert anthropic["system"] == [{"type": "text", "text": "Be brief."}]
    assert anthropic["messages"][1]["content"][0]["input"] == {"at": "here"}
    assert snapshot.thread("gemini")["contents"][1]["parts"][0]["functionCall"]["name"] == "weather"
    assert [b["id"] for b in snapshot.thread("canonical")][-1] == "said"
    assert [b["shown_kind"] for b in snapshot.blocks()] == ["system", "user", "call", "result"]
    assert snapshot.document()["cycle"] == 1


def test_ids_are_there_before_the_edit_is_sent(db: pactctx.Database) -> None:
    chat = db.create("chat")
    with chat.edit() as batch:
        question = batch.add("How warm is it?", role="user", key="question", tags=["weather"], ttl=3)
        call = batch.add({"name": "weather", "arguments": "{}"}, role="assistant", kind="call", refs=[question])
        answer = batch.result(call, "21 degrees", attrs={"data_unit": "F"})
        batch.update(answer, {"data_unit": "C"}, priority=5)
    chat.commit(policy="chat")
    assert batch.ids == [question, call, answer, answer] and len(set(batch.ids)) == 3
    assert [b["id"] for b in chat.thread("canonical")] == batch.ids[:3]
    assert chat.node(answer)["refs"] == [call] and chat.node(call)["refs"] == [question, answer]
    assert chat.node(question)["ttl"] == 3 and chat.node(answer)["attrs"]["data_unit"] == "C"


def test_a_database_is_asked_by_names(db: pactctx.Database) -> None:
    for name in ("a", "b/c"):
        db.create(name)
        with db[name].edit() as batch:
            batch.add(name, role="user")
        db[name].commit()
        db[name].commit()
    assert list(db) == ["a", "b/c"] and "b/c" in db and "c" not in db
    assert db["b/c"].snapshot(1).thread() == db["b/c"].thread("openai", 2) == [{"role": "user", "content": "b/c"}]
    assert db["a"].diff(1, 2) == db["a"].diff("@c1", "@c2") and db["a"].fork("d", 1).refresh() == 1
    with pytest.raises(TypeError):
        db[0]  # type: ignore[index]


def test_a_recorded_call_is_a_list_of_messages_too(db: pactctx.Database) -> None:
    tool = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
    body = {"model": "gpt-5", "tools": [tool], "messages": [{"role": "user", "content": "Hi"}]}
    log = {"request": {"method": "POST", "url": "https://api.openai.com/v1/chat/completions", "body": body}}
    [run] = db.load(json.dumps(log).encode() + b"\n", "run", form="log")
    assert [message["role"] for message in run.thread()] == ["user"]
    whole = run.thread("openai", whole=True)
    assert whole["model"] == "gpt-5" and whole["tools"] == [tool] and whole["messages"] == run.thread()


def test_commit_follows_a_policy(db: pactctx.Database) -> None:
    chat = begin(db)
    chat.commit()
    with chat.edit() as batch:
        batch.keep_policy(db.policy("default", max_nodes=2))
        batch.add("Thank you.", role="user")
    plan = chat.plan(policy={"max_nodes": 2})
    assert plan["after"]["bytes"] < plan["before"]["bytes"]
    snapshot = chat.commit(message="kept small")
    removed = [r["id"] for r in snapshot.report["removed"] or []]
    assert "asked" in removed and "said" in removed, "a call and its result go together"
    kept = chat.kept_policy()
    assert kept is not None and kept["max_nodes"] == 2
    assert chat.commit(select=["^seq .seg"]).thread() == [{"role": "system", "content": "Be brief."}]
    with pytest.raises(pactctx.Invalid, match="agent"):
        db.policy("none")


def test_history_answers(db: pactctx.Database) -> None:
    chat = begin(db)
    chat.commit()
    with chat.edit() as batch:
        batch.add("A note.", role="user", id="note", ttl=1)
    chat.commit()
    chat.commit()
    assert chat.select("@c1 .block[role='tool']") == ["said"]
    assert [c["id"] for c in chat.diff("@c1", "@c2")["components_added"] if c["nodeType"] == "block"] == ["note"]
    assert chat.life("note")["last_snapshot"] == 2
    assert chat.node("said")["text"] == "21 degrees"
    assert [c["cycle"] for c in chat.calls()] == [1, 2, 3]
    assert chat.log()[1]["message"] == "begin"
    other = chat.fork("other", "@c1")
    assert other.info()["last_cycle"] == 1
    undone = chat.undo()
    assert (chat.refresh(), undone.info()["last_cycle"]) == (2, 3)
    assert chat.verify()["snapshots"] == 2
    [copy] = db.load(chat.export(), "copy", form="history")
    assert copy.snapshot().digest == chat.snapshot().digest
    assert [c["name"] for c in db.contexts("c")] == ["chat", undone.name, "copy"]
    assert chat.erase(texts=["21 degrees"], dry_run=True)["ids"] == ["said"]
    copy.rename("renamed")
    copy.delete()
    assert not copy.exists()
    assert db.create("chat", exist_ok=True).refresh() == 2


def test_defaults_are_the_latest_snapshots_in_every_edition(db: pactctx.Database) -> None:
    chat = db.create("chat", edition="1.0")
    with chat.edit() as batch:
        batch.add("Be brief.", into="^sys", role="system", id="rules")
        batch.add("Hello?", role="user", id="one")
    chat.commit()
    with chat.edit() as batch:
        batch.add("And now?", role="user", id="two")
    chat.commit()
    latest = chat.thread("openai", "@c2")
    with chat.edit() as batch:
        batch.update("rules", content="Be long.")
        batch.add("A draft.", role="user", id="three")
    assert chat.snapshot().cycle == 2 and chat.snapshot().thread() == chat.thread() == latest
    assert chat.node("rules")["text"] == "Be brief."
    assert [c["id"] for c in chat.diff()["components_added"] if c["nodeType"] == "block"] == ["two"]
    assert chat.fork("other").thread() == latest
    with pytest.raises(pactctx.Error, match="a depth") as refused:
        chat.select("(d1..")
    assert (refused.value.code, refused.value.offset, refused.value.token) == ("E_SELECTOR_INVALID", 3, "..")


def test_load_offers_the_forms_of_the_server() -> None:
    api = json.loads((Path(__file__).resolve().parents[3] / "docs" / "openapi.json").read_text())
    [form] = [p["schema"]["enum"] for p in api["paths"]["/v1/import"]["post"]["parameters"] if p["name"] == "form"]
    for load in (pactctx.Database.load, pactctx.AsyncDatabase.load):
        [offered, _] = get_args(get_type_hints(load)["form"])
        assert set(get_args(offered)) == set(form)


def test_policies_are_tried_before_they_are_used(repair: pactctx.Context) -> None:
    simulated = repair.simulate(["agent", {"name": "short", "policy": {"max_turns": 1}}], model="claude-opus-5")
    assert [o["policy"] for o in simulated["outcomes"]][-2:] == ["agent", "short"]
    assert simulated["calls"] == 5 and simulated["currency"] == "USD"
    assert repair.findings(model="claude-opus-5")["calls"] == 5


def test_refusals_say_what_to_do(db: pactctx.Database) -> None:
    chat = begin(db)
    with pytest.raises(pactctx.NotFound) as missing:
        db.context("nowhere").info()
    assert (missing.value.code, missing.value.status) == ("E_CONTEXT_NOT_FOUND", 404)
    with pytest.raises(pactctx.Invalid) as wrong:
        chat.select(".block[")
    assert wrong.value.code == "E_SELECTOR_INVALID" and wrong.value.remedy and wrong.value.offset == 7
    with pytest.raises(pactctx.Invalid) as taken:
        with chat.edit() as batch:
            batch.add("again", id="rules")
    assert (taken.value.code, taken.value.node) == ("E_NODE_DUPLICATE", "rules") and "(node rules)" in str(taken.value)
    stranger = db.context("chat")
    stranger.refresh()
    chat.commit(actor="tester")
    with pytest.raises(pactctx.Conflict) as late:
        stranger.commit()
    assert [w["actor"] for w in late.value.meanwhile] == ["tester"]
    stranger.refresh()
    assert stranger.commit().cycle == 2
    with pytest.raises(ValueError):
        with chat.edit() as batch:
            batch.add("lost", id="lost")
            raise ValueError
    assert "lost" not in [b["id"] for b in chat.thread("canonical", "working")]


def test_async_is_the_same(tmp_path: Path) -> None:
    async def run() -> list[object]:
        async with pactctx.open_async(tmp_path / "a.db") as db:
            chat = await db.create("chat")
            async with chat.edit() as batch:
                batch.add("Hello", role="user")
            snapshot = await chat.commit(policy=await db.policy("agent", max_tokens=1000))
            asked = await asyncio.gather(*(chat.select("@t0 .block") for _ in range(20)))
            assert asked == [batch.ids] * 20
            return [await snapshot.thread(), [c["name"] async for c in db.contexts()]]

    assert asyncio.run(run()) == [[{"role": "user", "content": "Hello"}], ["chat"]]


def test_notebooks_show_snapshots_and_pictures(repair: pactctx.Context) -> None:
    table = repair.snapshot("@c3")._repr_html_()
    assert table.startswith("<b>repair @c3</b>") and "run_tests" in table
    picture = repair.picture()
    calls = len(repair.calls())
    assert f"{calls} columns" in repr(picture)
    columns = picture.strata["columns"]
    assert picture.svg().count("#d1242f") == sum(c["cut"] is not None for c in columns) == 2
    assert "calls 1 to 5" in picture._repr_html_()


def test_contents_cannot_write_html(db: pactctx.Database) -> None:
    chat = db.create("<script>")
    with chat.edit() as batch:
        batch.add("<img src=x onerror=alert(1)>", role="user")
    snapshot = chat.commit()
    for html in (snapshot._repr_html_(), chat.picture()._repr_html_()):
        assert "<script" not in html and "<img" not in html
