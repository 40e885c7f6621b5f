"""Faults put into the program on purpose: the tests must see each of them.

A mutant is one change in one file of a copy of the package; the tests named with it run on the copy and have
to fail. A mutant whose text is not found any more fails here too, so that none goes stale.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.cpython

ROOT = Path(__file__).resolve().parents[2]

# name → (file, text, what it becomes, tests that must fail)
MUTANTS = {
    # facts with a life
    "a correction deletes": ("facts.py", 'status="superseded",\n                confidence', 'status="archived",\n                confidence', "test_facts.py"),
    "a correction keeps its confidence": ("facts.py", "CORRECTED, CORRECTION = 0.3, 0.95", "CORRECTED, CORRECTION = 0.9, 0.95", "test_facts.py"),
    "nothing expires": ("rows/facts.py", "f.expires_at > ?)", "f.expires_at > ? - 9e15)", "test_facts.py"),
    "an edit asks nothing": ("store/messages.py", "fact_rows.mark_for_review(db, self.user_id, message_id, version_id)", "pass", "test_messages.py::test_an_edit_asks_about_what_was_learned_from_the_old_text"),
    "a branch asks nothing": ("store/messages.py", "                self._leave_branch(session, place)", "                pass", "test_health.py::test_what_was_said_on_a_branch_that_is_left_asks_for_review"),
    "keys are not checked": ("migrations/0001_initial.sql", "SELECT RAISE(ABORT, 'unregistered fact key');", "SELECT 1;", "test_schema_rules.py"),
    "a changed value is compared as it was": ("migrations/0004_fact_values.sql", "SET value_folded = NULL", "SET value_folded = value_folded", "test_facts.py::test_a_value_is_known_again_however_it_is_written_and_changed"),
    "a file says how values compare": ("formats/memory_import.py", 'row["value_folded"] = folded(row["value"])', "pass", "test_memory_file.py::test_how_a_value_is_compared_is_not_believed"),
    # consent
    "the uncertain is proposed": ("extraction/confidence.py", "LEAST = 0.7", "LEAST = 0.1", "test_facts.py::test_what_is_known_or_waiting_is_not_proposed_again"),
    "a rejection is forgotten": ("facts.py", "if self.is_refused(key, value):", "if False:", "test_facts.py::test_a_rejected_fact_leaves_no_text_and_does_not_return"),
    "what is inferred is true at once": ("facts.py", 'fact = self._new(key, value, "candidate"', 'fact = self._new(key, value, "current"', "test_facts.py"),
    "don't remember is ignored": ("extraction/refusals.py", "if _PRIVATE.search(", "if None and _PRIVATE.search(", "test_extraction.py::test_utterance"),
    # extraction
    "quotations are read": ("extraction/masking.py", "    return without_quotations(\"\".join((*pieces, text[done:])))", "    return \"\".join((*pieces, text[done:]))", "test_extraction.py::test_utterance"),
    "secrets are read": ("extraction/masking.py", "    for begin, end in secrets:", "    for begin, end in ():", "test_extraction.py::test_utterance"),
    "what is asked is stated": ("extraction/guards.py", "    if sentence.text.rstrip(\"\\\"'”’」)） \").endswith((\"?\", \"？\")):", "    if False:", "test_extraction.py"),
    "questions take nothing for granted": ("extraction/__init__.py", "told = reads(clause, reading)", "told = reads(clause, reading) if clause.start in at else []", "test_extraction.py::test_what_is_not_said_straight_out"),
    "a text to be written is the user's word": ("extraction/refusals.py", "    if asked is None:\n        return None", "    if True:\n        return None", "test_extraction.py::test_what_is_not_said_straight_out"),
    "names known count for nothing": ("extraction/__init__.py", "name: Reading(known=known) for", "name: Reading() for", "test_extraction.py::test_who_is_known_may_be_called_by_name"),
    "a date has no day": ("extraction/days.py", "(_SPOKEN, _DATE) if dated else (_SPOKEN,)", "(_SPOKEN,)", "test_extraction.py::test_a_date_is_kept_in_words_and_as_a_day"),
    # contradictions
    "opposites stand together": ("topics.py", 'what == "dislikes"', 'what == "no such"', "test_health.py::test_of_two_that_exclude_each_other_the_older_is_put_to_the_user"),
    "every pair is a contradiction": ("topics.py", 'return bool(words.search(dish)) and not unless.search(dish)', 'return bool(words.search(dish))', "test_topics.py"),
    "the user's yes counts for nothing": ("health.py", "if not is_rejected(self._db, self._user, both_stand(found))", "", "test_topics.py::test_what_the_user_says_yes_to_is_not_disputed_again"),
    "topics are never due": ("health.py", "if due is None or due > now:", "if due is None or due:", "test_topics.py::test_topics_are_looked_through_once_a_month_in_idle_time"),
    "identities are joined blindly": ("migrations/0001_initial.sql", "SELECT RAISE(ABORT, 'contact belongs to another identity')", "SELECT 1", "test_schema_rules.py"),
    # weight and rest
    "use counts for nothing": ("weight.py", "use = 1 - 0.5 ** (1 + fact.use_count)", "use = 0.5 ** (1 + fact.use_count)", "test_health.py::test_weight_rises_with_use_and_falls_with_time_and_corrections"),
    "the pinned rests": ("weight.py", "and not fact.pinned", "", "test_health.py::test_what_is_pinned_or_lasting_never_rests"),
    "merging deletes": ("facts.py", 'status="superseded",\n                superseded_by=survivor', 'status="archived",\n                superseded_by=None', "test_health.py::test_facts_that_say_the_same_become_one_and_two_again"),
    "what has expired is put aside for good": ("health.py", 'self._undo.change(operation, "facts", id, status="expired")', 'fact_rows.update_fact(self._db, self._user, id, status="expired")', "test_health.py"),
    "a kind stays refused": ("facts.py", 'gone = self._undo.take(operation, "rejections", "id = ?", (id,)) if id else []', 'gone = [id] if id else []', "test_facts.py"),
    # bad input
    "a number too long breaks its own message": ("errors.py", "    except Exception:\n        said", "    except KeyError:\n        said", "test_bad_input.py::test_it_is_refused_and_changes_nothing"),
    "a damaged name ends in Python's own error": ("database.py", "if isinstance(error, UnicodeDecodeError):", "if False:", "test_database.py"),
    "Ctrl-C is not heard by a statement": ("database.py", "connection.set_progress_handler(lambda: 0, _UNTRUSTED_STEPS)", "pass", "test_cli.py::test_ctrl_c_ends_an_endless_statement"),
    "a program is a list of memories": ("formats/plain_list.py", "if surely >= 2 or (code >= 2", "if False and (code >= 2", "test_chat_import.py::test_what_is_no_list_is_refused_with_the_reason"),
    "a length of ² is a number": ("server/endpoint.py", "length.isascii() and length.isdigit()", "length.isdigit()", "test_site.py::test_a_length_that_is_none_is_answered"),
    "a closed memory raises what SQLite raises": ("database.py", 'if "closed database" in said:', "if False:", "test_bad_input.py::test_a_closed_memory_says_so"),
    # acting
    "a saved state's calls are overlooked": ("store/tasks.py", "self._note_pending(session_id)", "pass", "test_resuming.py"),
    "a reason that cannot be kept makes it possible": ("resuming.py", 'clean(why)[0][:MAX_LINE] if isinstance(why, str) else ""', "why", "test_tool_runs.py::test_what_the_check_calls_invalid_is_not_run"),
    "a failed check lets it run": ("tool_runs.py", "elif validation and not could_tell:", "elif None and validation:", "test_tool_runs.py::test_a_call_whose_check_fails_waits_for_the_users_yes"),
    # agents
    "explaining tells what another agent knows": ("trace.py", "fact = facts.get(id)", "from .rows.facts import get_fact; fact = get_fact(db, user_id, id)", "test_agents.py"),
    "forgetting reaches another agent's facts": ("forgetting.py", "if self._facts.may_see(fact)", "", "test_agents.py"),
    # forgetting
    "the index keeps its words": ("forgetting.py", "            index.optimize(self._db, messages=bool(going.sessions or going.messages))", "            pass", "test_forgetting.py"),
    "versions stay": ("removal.py", '            for table in ("message_versions", "tool_calls", "uses"):\n                self.take(table, "message_id = ?", id)', '            for table in ("tool_calls",):\n                self.take(table, "message_id = ?", id)', "test_forgetting.py test_undo.py"),
    "an older file brings titles back": ("formats/memory_import.py", "            self._leave_blank(row)", "            pass", "test_memory_file.py::test_a_forgotten_title_does_not_return"),
    "titles of older versions stay": ("removal.py", "self._said_in(messages)", "[message.content for message in messages]", "test_forgetting.py::test_a_title_made_of_an_older_version_goes_with_the_message"),
    "no tombstone is left": ("removal.py", "add_tombstones(self._db, self._user, kind, [id], self._now)", "pass", "test_forgetting.py::test_tombstones_hold_ids_alone_and_no_salt_is_left"),
    "undo brings back half": ("undo.py", 'if self._insert(table, key, row) and table == "messages":', 'if table != "uses" and self._insert(table, key, row) and table == "messages":', "test_undo.py"),
    # working memory and overview
    "working memory is believed": ("working_memory.py", "if id in known and rows.state_of(known[id]) == state", "if id in known", "test_working_memory.py::test_it_never_holds_what_is_no_longer_so"),
    "working memory has no end": ("working_memory.py", "if kept.until > now", "if kept", "test_working_memory.py"),
    "summaries stay out of the prompt": ("context.py", "        summaries.append(summary)", "        lines = lines[: -len(part)]", "test_working_memory.py::test_an_overview_holds_the_newest_state_and_summaries"),
    # summaries
    "an edit leaves the summary": ("store/messages.py", "self._consolidation.edited(edited)", "pass", "test_summaries.py::test_an_edited_message_changes_what_quotes_it"),
    "a summary keeps what was forgotten": ("forgetting.py", "self._consolidation.replace(removal, session_id, touched)", "pass", "test_summaries.py::test_a_forgotten_message_is_in_no_summary_and_comes_back_with_undo"),
    "secrets are summarised": ("extraction/outcomes.py", " or _overlaps(sentence, secrets)", "", "test_summaries.py::test_no_secret_enters_a_summary"),
    "what is open is not looked for": ("extraction/outcomes.py", "or _OPEN.search(body) or _OPEN_ZH.search(body)", "", "test_summaries.py"),
    "only the newest are summarised": ("rows/messages.py", "begin = walked[max(0, len(walked) - limit)]", "begin = walked[0]", "test_summaries.py"),
    "nothing is compressed": ("consolidation.py", "COMPRESS_ROUNDS = 20", "COMPRESS_ROUNDS = 2000", "test_summaries.py::test_older_ones_are_compressed_after_twenty_rounds"),
    "a model's points need no quote": ("extraction/structured_summary.py", "any(quote in said for said in visible)", "True", "test_summaries.py::test_a_models_summary_is_taken_where_it_quotes"),
    "an import quotes what was forgotten": ("formats/memory_import.py", "self._consolidation.recover(id, self._summaries.get(id, ()))", "pass", "test_summaries.py::test_an_imported_summary_does_not_bring_back_what_was_forgotten"),
    # cleaning
    "cleaning does not ask": ("forgetting.py", "        if not delete:", "        if False:", "test_forgetting.py::test_cleanup_counts_first_and_deletes_what_it_counted"),
    "cleaning cuts the source": ("forgetting.py", '_Going(sources="kept"', '_Going(sources="cut"', "test_forgetting.py::test_cleanup_counts_first_and_deletes_what_it_counted"),
    "cleaning is offered daily": ("forgetting.py", "OFFER_EVERY_MS = 30 * DAY_MS", "OFFER_EVERY_MS = DAY_MS", "test_forgetting.py::test_cleaning_is_offered_once_a_month_to_a_large_memory"),
    # counting
    "near is anywhere": ("counting.py", "bisect_left(times, at - within_ms)", "0", "test_counting.py::test_the_refund_question"),
    "half a word is a word": ("counting.py", "if not joined_before and not joined_after:", "if True:", "test_counting.py::test_a_latin_word_counts_where_it_stands_whole"),
    # the cost of a round
    # recall
    "a list of rows follows its table": ("recall/others.py", "CROSS JOIN facts f", "JOIN facts f", "test_query_plans.py::test_no_table_is_read_whole"),
    "no feedback": ("recall/ranking.py", "        self._add_feedback()", "        pass", "test_recall.py::test_feedback_finds_what_shares_no_word_with_the_question"),
    "neighbours by rowid": ("recall/ranking.py", "WHERE n.session_id = m.session_id ", "WHERE n.user_id = m.user_id ", "test_recall.py::test_neighbours_are_those_of_the_session"),
    "anybody may have said it": ("recall/parameters.py", "speaker: float = 2.5", "speaker: float = 1.0", "test_recall.py::test_the_person_named_comes_first"),
    "only messages are recalled": ("recall/ranked.py", "*map(_of_message, messages), *others", "*map(_of_message, messages),", "test_recall.py::test_every_kind_is_found_and_says_what_it_is"),
    "what was corrected is recalled": ("recall/others.py", "OR ? AND f.status", "OR ? + 1 AND f.status", "test_recall.py::test_what_is_over_is_not_recalled"),
    "recall crosses owners": ("recall/postings.py", "alone = not messages or", "alone = True or", "test_recall.py::test_every_kind_is_found_and_says_what_it_is"),
    "near enough is exact": ("recall/search.py", "    if found < 0:\n        return None", "    found = max(found, 0)", "test_search.py test_recall.py"),
    "what is common is in the last chat": ("recall/search.py", ' and found[-1]["created_at"] > (chat["newest"] or 0)', "", "test_search.py::test_what_is_common_is_found_newest_first"),
    "one language only": ("recall/expansion.py", "    for other, weight in links(word)", "    for other, weight in links(word)[:0]", "test_recall.py::test_across_languages"),
    "always something to add": ("recall/ranked.py", "    if best < 1:\n        return []\n", "", "test_recall.py::test_a_model_is_reminded_of_what_bears_on_the_question"),
    "anything speaks of somebody": ("recall/question.py", 'if _PERSONAL.search(_REQUEST.sub(" ", folded)) else "anything"', "", "test_recall.py::test_general_knowledge_speaks_of_nobody"),
    "yesterday is no day": ("marks.py", "timedelta(days=_SHIFTS[match.group()])", "timedelta(days=0)", "test_recall.py::test_days_spoken_of"),
    "the scorer's order is lost": ("recall/bench.py", "for message in found]", "for message in reversed(found)]", "test_recall.py::test_a_conversation_is_ranked"),
    # tool results
    "the last time is any time": ("recall/others.py", "and question.asks_last:", "and False:", "test_tool_results.py"),
    "what a tool said is told as talk": ("recall/parameters.py", "result: float = 2.0", "result: float = 0.5", "test_tool_results.py"),
    "a call stands alone": ("recall/parameters.py", "around_call: float = 0.5", "around_call: float = 0.0", "test_tool_results.py"),
    # vectors
    "models are mixed": ("recall/vectors.py", '"e.user_id = ? AND e.model = ? AND', '"e.user_id = ? AND e.model <= ? AND', "test_embeddings.py::test_models_are_never_mixed"),
    "owners are mixed": ("rows/embeddings.py", "m.seq <= ? AND m.user_id = ? ORDER", "m.seq <= ? AND m.user_id <> '' || ? ORDER", "test_embeddings.py"),
    "lengths are mixed": ("embedding.py", "or (self._dims and dims != self._dims)", "", "test_embeddings.py"),
    "a vector is of whatever text": ("recall/vectors.py", "not (now and hash != text_hash(text))", "True", "test_embeddings.py"),
    "a vector adds nothing": ("recall/ranking.py", "self._p.vector * best * share", "0.0 * share", "test_embeddings.py"),
    "vectors remind a model of anything": ("recall/ranked.py", "found = ranked(None)", "found = ranked(meanings)", "test_embeddings.py"),
    "an edit keeps the vector": ("embedding.py", "        rows.delete_embeddings(self._db, self._user, message_id)\n        if", "        if", "test_embeddings.py::test_only_what_can_be_recalled"),
    "forgetting keeps the vector": ("removal.py", 'self.take("embeddings", where, *values)', "pass", "test_embeddings.py::test_forgetting_takes_and_counts_them"),
    "what was forgotten meanwhile gets a vector": ("rows/embeddings.py", "AND {_OPEN} AND substr(v.content, 1, ?) = ?", "AND {_OPEN} AND ? > 0 AND ? <> ''", "test_embeddings.py::test_what_is_edited_while_the_embedder_thinks"),
    "an embedder is shown secrets": ("rows/embeddings.py", "AND m.has_secret = 0 ", "", "test_embeddings.py"),
    "an embedder is asked secrets": ("embedding.py", "if not secret_spans(query)]", "]", "test_embeddings.py"),
    "an embedder that raises breaks recall": ("embedding.py", 'except Exception as error:\n            raise _Failed("failed"', 'except KeyError as error:\n            raise _Failed("failed"', "test_embeddings.py::test_a_broken_embedder_costs_nothing"),
    "a failing embedder is not told of": ("store/care.py", "if state and state.problem:", "if False:", "test_embeddings.py::test_a_broken_embedder_costs_nothing"),
    "a failing embedder is asked on": ("embedding.py", "self._clock() >= self._retry_at", "True", "test_embeddings.py::test_a_broken_embedder_costs_nothing"),
    "a number that is none is kept": ("embedding.py", "packed.append(None)", "packed.append(bytes(9))", "test_embeddings.py::test_a_broken_embedder_costs_nothing"),
    "too few vectors are kept": ("embedding.py", "if len(vectors) != count:", "if False:", "test_embeddings.py::test_a_broken_embedder_costs_nothing"),
    "one bad text stops the rest": ("embedding.py", "if not self._passed_over.get((item[0], item[2]), (0, 0))[0]]", "]", "test_embeddings.py::test_one_text_it_fails_on_does_not_stop_the_rest"),
    "vectors are made in one go": ("embedding.py", "if (time.monotonic() - start) * 1000 >= budget_ms:", "if False:", "test_embeddings.py::test_steps_are_bounded_and_no_transaction_is_open"),
    "vectors of other models stay": ("embedding.py", "return self._clear_others()", "return False", "test_embeddings.py"),
    "a number used again is passed over": ("embedding.py", "        self._high = min(self._high, rows.last_message(self._db))\n\n    # --", "        pass\n\n    # --", "test_embeddings.py::test_a_number_used_again_is_embedded"),
    "a late answer is waited for": ("embedding.py", "asyncio.wait({task}, timeout=seconds)", "asyncio.wait({task})", "test_embeddings.py::test_one_that_never_answers_is_given_up"),
    # owners
    "everybody's messages": ("rows/messages.py", 'WHERE m.id = ? AND m.user_id = ?", (id, user_id))', 'WHERE m.id = ? AND ? IS NOT NULL", (id, user_id))', "test_messages.py::test_a_tool_call_belongs_to_a_message_of_its_own_session"),
    "agents see all": ("rows/facts.py", '_VISIBLE = "(f.agent_id IS NULL OR f.agent_id = ? OR f.visibility = \'shared\')"', '_VISIBLE = "(f.agent_id IS NULL OR ifnull(?, 1) IS NOT NULL)"', "test_facts.py::test_agents_keep_facts_to_themselves"),
    "agents reach each other by id": ("facts.py", 'if not self.may_see(fact):', "if False:", "test_agents.py"),
    "what an agent keeps to itself replaces what all see": ("facts.py", " or old.scope != by.scope:", ":", "test_agents.py"),
    "agents share what waits": ("rows/facts.py", "'candidate' \"\n        f\"AND {_VISIBLE}", "'candidate' \"\n        f\"AND ifnull(?, 1) IS NOT NULL", "test_agents.py"),
    # incognito
    "an incognito chat learns": ("learning.py", "    if store.incognito:\n        return", "    if None:\n        return", "test_incognito.py::test_the_real_file_stays_the_same_byte_for_byte"),
    "an incognito chat lies in the memory itself": ("incognito.py", 'super().__init__(":memory:", user_id', "super().__init__(base.database.connection, user_id", "test_incognito.py::test_the_real_file_stays_the_same_byte_for_byte"),
    "an incognito chat may write by tools": ("memory_tools.py", "if tool.name in READING] if store.incognito else tools", "if tool.name in READING] if None else tools", "test_incognito.py::test_a_model_hears_of_it_and_gets_reading_tools_only"),
    "an incognito chat promises to remember": ("models/answer.py", "if self.incognito:", "if None:", "test_incognito.py::test_no_answer_promises_what_is_not_kept"),
    # understanding
    "the doubtful is proposed": ("extraction/__init__.py", "if not doubtful(item.key", "if True or not doubtful(item.key", "test_doubt.py::test_only_what_is_told_plainly_is_proposed"),
    "what is asked for is doubted": ("extraction/__init__.py", "found += [(item, False) for item in _without_doubt(noticed, left)]", "found = [(item, asked) for item, asked in found if not asked]", "test_doubt.py::test_what_is_to_be_remembered_is_kept_however_doubtful"),
    "what is supposed is told": ("extraction/doubt.py", "if _SUPPOSED.search(sentence) or", "if", "test_doubt.py::test_only_what_is_told_plainly_is_proposed"),
    "what was almost so is so": ("extraction/doubt.py", 'if what != "age" and _ALMOST.search(before):', "if False:", "test_doubt.py::test_only_what_is_told_plainly_is_proposed"),
    "what holds for a week holds": ("extraction/doubt.py", "if own and what in _LASTING and _PASSING.search(clause):", "if False:", "test_doubt.py::test_only_what_is_told_plainly_is_proposed"),
    "anybody's number is the user's": ("extraction/doubt.py", 'if of in ("contact", "address") and _OF_SOMEBODY.search(sentence):', "if False:", "test_doubt.py::test_only_what_is_told_plainly_is_proposed"),
    "anything is an allergen": ("extraction/doubt.py", "return not (_ALLERGEN_ZH.match(told.value) if told.chinese else _ALLERGEN.search(told.value))", "return False", "test_doubt.py::test_only_what_is_told_plainly_is_proposed"),
    "a trade may go on as anything": ("extraction/doubt.py", "and not _AT_WORK.match(told.behind)", "and False", "test_doubt.py::test_only_what_is_told_plainly_is_proposed"),
    "an attitude is a decision": ("extraction/doubt.py", "bool(_ATTITUDE_ZH.search(told.value))", "False", "test_doubt.py::test_only_what_is_told_plainly_is_proposed"),
    "what is laughed at is meant": ("extraction/doubt.py", "if own and what in _JESTED and", "if False and", "test_doubt.py::test_only_what_is_told_plainly_is_proposed"),
    "a piece of a sentence is a value": ("extraction/__init__.py", "value=proved(item.key, item.value)", "value=item.value", "test_whose_fact.py"),
    "anybody's contact is the user's": ("extraction/contacts.py", "if _NOT_OWN.search(around) or", "if", "test_whose_fact.py::test_nothing_is_said_of_the_user"),
    "the topic of a question is told": ("extraction/guards.py", " if not _TOPIC_ASKED.match(p.text)]", "]", "test_whose_fact.py::test_nothing_is_said_of_the_user"),
    "whoever was named goes on as the user": ("extraction/rules_zh.py", "elif not subject and _OTHER_SUBJECT.match(text):", "elif False:", "test_whose_fact.py::test_nothing_is_said_of_the_user"),
    "what follows a request for a text is told": ("extraction/__init__.py", "visible = own_words(masked(text))", "visible = masked(text)", "test_whose_fact.py::test_what_is_told_in_passing"),
    "a friend's affairs are the user's": ("extraction/asides_en.py", "if _ONLY_OF_THEM.match(behind) and", "if None and", "test_whose_fact.py"),
    "what is looked up is told": ("extraction/rules_zh.py", "if _LOOKED_UP.search(kept) and", "if None and", "test_whose_fact.py::test_nothing_is_said_of_the_user"),
    "a question needs its mark": ("extraction/guards.py", "not (_ASKED_PLAINLY.search(part.text) and", "not (None and", "test_whose_fact.py::test_nothing_is_said_of_the_user"),
    "the dead go on": ("extraction/people_zh.py", "if _GONE.search(rest) or _GONE.search(reading.ahead):", "if False:", "test_whose_fact.py::test_nothing_is_said_of_the_user"),
    "any confidence will do": ("extraction/confidence.py", "return _MEASURED.get(rule, MEAN)", "return MEAN", "test_utterances.py::test_a_confidence_is_the_measured_precision"),
    "a list is one to-do": ("extraction/__init__.py", "if len(listed) > 1 and", "if None and", "test_whose_fact.py::test_what_is_to_be_done_is_a_to_do_each"),
    "a time is cut in two": ("extraction/clauses.py", "(?!(?<=\\d)[:：]\\d)[:：]+", "[:：]+", "test_extraction.py::test_times_and_abbreviations_stay_whole"),
    "a title ends a sentence": ("extraction/clauses.py", 'rf"|{_TITLE}', 'rf"|(?!){_TITLE}', "test_extraction.py::test_times_and_abbreviations_stay_whole"),
    "new names hide what taught them": ("noticed.py", "(before is None or _was_known(fact, before))", "True", "test_offline_assistant.py::test_names_learned_from_a_message_do_not_hide_what_it_says"),
    "a branch that stays is not shown": ("lineage.py", "self._staying(shown, gone) or self._newest(session_id)", "self._staying(shown, gone)", "test_forgetting.py::test_another_branch_is_shown_where_nothing_stays_before_what_went"),
    "what is only noticed again needs no review": ("facts.py", "elif fact.needs_review and stated:", "elif fact.needs_review:", "test_facts.py::test_what_is_noticed_again_supports_a_fact_whose_source_was_edited"),
    "what is confirmed waits once more": ("facts.py", "            if same_value(waiting.value, fact.value):  #", "            if False:  #", "test_facts.py::test_two_proposals_of_the_same_are_answered_as_one"),
    "another age told is a no to the one before": ("facts.py", "        for id in gone:\n            self._undo.take", "        for id in gone:\n            self.refuse(self.get(id), operation)\n            self._undo.take", "test_meant.py::test_nobody_said_no_to_an_age_that_made_way"),
    "one daughter only": ("rows/namespaces.py", 'if found.prefix == "user::" and _holds_several(key)', "if False", "test_offline_assistant.py::test_names_learned_from_a_message_do_not_hide_what_it_says"),
    "an older proposal goes on waiting": ("facts.py", "            self._withdraw_older(fact, operation)\n", "", "test_facts.py"),
    "the kind asked for is not looked under": ("models/matching.py", "for key in keys_asked(question):", "for key in ():", "test_offline_assistant.py::test_a_question_for_a_kind_of_fact_finds_it"),
    "what waits hides what holds": ("models/matching.py", "return [*fits, *beside]", "return fits", "test_offline_assistant.py::test_what_waits_does_not_hide_what_holds"),
    "undo is only said": ("memory_tools.py", "            store.undo(undoable)", "            pass", "test_offline_assistant.py::test_what_was_forgotten_comes_back_by_a_word"),
    # plans and ages
    "any plan is an errand": ("extraction/plans_en.py", "or not (lead or _OPEN.search(said))", "or False", "test_meant.py::test_what_is_no_errand_is_no_to_do"),
    "what is to come is an age": ("extraction/reading.py", "return bool(_TO_COME.match(said))", "return False", "test_meant.py"),
    # files of other products, and text
    "of several files one is read": ("formats/sources.py", "for source in opened for member in", "for source in opened[:1] for member in", "test_chat_import.py::test_files_that_are_chosen_together_are_one_import"),
    "a refusal gives the page no reason": ("browser.py", '{**named, "code": code} if', "named if", "test_chat_import.py::test_a_page_has_its_own_sentence_for_what_is_refused"),
    "an import that was stopped cannot be undone": ("formats/chat_job.py", "operation = self._undo.begin(UNDO_MS)", "operation = None if self._cancelled else self._undo.begin(UNDO_MS)", "test_chat_import.py::test_a_page_can_stop_between_two_parts"),
    'an import comes twice': ('formats/chat_import.py', '            if id in taken:', '            if False:', 'test_chat_import.py::test_a_later_export_adds_what_is_new'),
    'ids of an import change': ('formats/chat_import.py', 'hashlib.sha256("\\x1f".join(parts)', 'hashlib.sha256(__import__("os").urandom(9) + "\\x1f".join(parts)', 'test_chat_import.py::test_every_shape_is_looked_at_and_comes_in_once'),
    'saved memories are facts at once': ('formats/chat_import.py', 'fact = self._facts.propose_fact(key', 'fact = self._facts.set_fact(key', 'test_chat_import.py::test_saved_memories_wait_for_a_yes_beside_their_message'),
    'what was answered is asked again': ('formats/chat_import.py', 'if quote in self._quotes[source] or', 'if', 'test_chat_import.py::test_what_was_answered_is_not_asked_again'),
    'a private chat teaches': ('formats/chat_import.py', '            if chat.private:', '            if False:', 'test_chat_import.py::test_a_chat_that_was_not_to_be_remembered_teaches_nothing'),
    'an import brings back what was forgotten': ('formats/chat_import.py', 'if is_forgotten(self._db, self._user, "sessions", session_id):', 'if False:', 'test_chat_import.py::test_what_was_forgotten_stays_forgotten'),
    'an import moves who went on': ('formats/chat_import.py', 'if at is not None and ours and at', 'if at is not None and at', 'test_chat_import.py::test_who_went_on_here_stays_where_they_are'),
    'an import cannot be undone': ('formats/chat_job.py', '            made.note(operation)', '            pass', 'test_chat_import.py::test_undoing_takes_all_of_it_back'),
    'undoing an import leaves its words': ('undo.py', '        index.remove(self._db, going)', '        pass', 'test_chat_import.py::test_undoing_takes_all_of_it_back'),
    'who stops an import keeps half': ('formats/chat_job.py', '            with self._db.transaction():\n                for entry in self._found:\n                    self._add(entry)\n                self._finish()', '            for entry in self._found:\n                with self._db.transaction():\n                    self._add(entry)\n            with self._db.transaction():\n                self._finish()', 'test_chat_import.py::test_a_small_import_that_is_stopped_leaves_nothing'),
    'a damaged end is found too late': ('formats/chat_job.py', '            self._check()', '            pass', 'test_chat_import.py::test_a_damaged_end_is_found_before_anything_is_added'),
    'nothing imported is success': ('formats/chat_job.py', 'if made.is_nothing and not known', 'if False and not known', 'test_chat_import.py::test_what_is_refused_is_refused_with_a_reason'),
    'a large file is read whole': ('formats/json_stream.py', 'data = self._file.read(_CHUNK)', 'data = self._file.read()', 'test_json_stream.py::test_no_more_than_a_part_is_in_memory'),
    'brackets need not match': ('formats/json_stream.py', 'elif open_ and first == open_[-1]:', "elif open_ and first in b']}':", 'test_json_stream.py::test_damage_is_told_with_its_place'),
    'hidden messages are shown': ('formats/chatgpt.py', 'is not True:\n        node.text', 'is not None or True:\n        node.text', 'test_chat_import.py::test_branches_times_and_hidden_messages'),
    "a circle begins anywhere": ("formats/tree.py", "first = min(path", "first = max(path", 'test_chat_import.py::test_the_branch_on_screen'),
    'ties lose their order': ('formats/tree.py', '            time = max(time, after + 1)', '            pass', 'test_chat_import.py::test_blocks_of_claude test_chat_import.py::test_branches_times_and_hidden_messages'),
    'damaged zips raise what the library raises': ('formats/sources.py', '    except _UNREADABLE as error:', '    except KeyError as error:', 'test_chat_import.py::test_a_member_that_is_damaged_refuses_the_zip test_chat_import.py::test_what_is_refused_is_refused_with_a_reason'),
    'secrets stand in Markdown': ('formats/markdown.py', 'without_secrets(message.content)', 'message.content', 'test_export_text.py::test_secrets_are_masked_in_markdown_and_kept_in_lines'),
    'a line leaves out a column': ('formats/json_lines.py', 'frozenset({"seq", "user_id"})', 'frozenset({"seq", "user_id", "speaker"})', 'test_export_text.py::test_lines_come_back_equal'),
    'one session takes others along': ('formats/session_rows.py', '"facts": "source_message_id IN (SELECT m.id FROM messages m WHERE m.session_id = :session) "\n    "AND user_id = :user"', '"facts": "user_id = :user"', 'test_export_text.py::test_one_session_with_what_was_learned_in_it'),
    'a dry run keeps what it says': ('cli/files.py', '                raise _TakenBack', '                pass', 'test_cli.py::test_a_dry_run_of_a_memorys_file_changes_nothing'),
    # health
    "orphans are not seen": ("rows/health.py", "found += [(table, row[\"id\"]) for row in rows]", "found += []", "test_health.py::test_orphans_and_unknown_findings"),
    "duplicates are not seen": ("rows/health.py", "if len(ids) > 1]", "if len(ids) > 2]", "test_health.py::test_facts_that_say_the_same_become_one_and_two_again"),
    # snapshots
    "secrets are saved with the task": ("store/tasks.py", "saved_state = without_secrets(checked_state(state))", "saved_state = checked_state(state)", "test_snapshots.py"),
    "old snapshots do not load": ("snapshots.py", "for step in range(format, FORMAT):", "for step in range(0):", "test_snapshots.py"),
    "a done plan completes nothing": ("store/tasks.py", "if plan_is_done(saved_state) and", "if False and", "test_snapshots.py::test_a_session_is_completed_when_its_plan_is_done"),
    # resuming
    "a session taken up again acts at once": ("agent.py", "runs.may_act = reply.intent != RESUME and", "runs.may_act = True or", "test_resuming.py"),
    "a stale check is trusted": ("resuming.py", "0 <= now - item.checked_at < FRESH_MS", "item.checked_at <= now", "test_resuming.py::test_the_resource_was_deleted"),
    # tool calls
    "an effect starts before it is durable": ("tool_runs.py", "        if await store.durable() is False:", "        if False:", "test_tool_runs.py"),
    "an effect is made again": ("tool_runs.py", "        if known := self._take_made_before(call.name, call.arguments):\n            return known\n", "", "test_resuming.py::test_a_round_that_died_after_its_last_act_tells_its_result"),
    # experience
    "anything becomes an experience": ("experience.py", "if kinds := self.personal(topic, content):", "if kinds := []:", "test_experience.py"),
    "an experience needs no yes": ("experience.py", 'self._user, status="current"):', "self._user):", "test_experience.py::test_it_waits_for_a_yes"),
    "an experience is recalled without a yes": ("recall/others.py", "AND e.status = 'current'", "", "test_experience.py::test_only_what_got_a_yes_is_recalled"),
    # trace
    "a removed event is not seen": ("trace.py", "if event.seq != (last.seq if last else 0) + 1:", "if False:", "test_events.py"),
    "answers have no reasons": ("trace.py", "for use in use_rows.list_uses(db, user_id, message_id)", "for use in []", "test_explain.py::test_the_assistant_names_memory_source_and_day"),
    # model servers
    "the key is shown": ("models/openai.py", 'return "<key>" if self._text else "<no key>"', "return self._text", "test_openai_model.py::test_the_key_goes_into_its_header_alone"),
    "the key is copied into a file": ("models/openai.py", "        return _Key, (None,)", "        return _Key, (self._text,)", "test_openai_model.py::test_the_key_goes_into_its_header_alone"),
    "the server's words show the key": ("models/chat_answer.py", "    if key:\n        said = said.replace", "    if None:\n        said = said.replace", "test_model_answers.py::test_the_servers_words_are_quoted_short_and_without_the_key"),
    "the key follows a redirect": ("models/address.py", "return urlsplit(url)[:2] == urlsplit(self.base)[:2]", "return True", "test_openai_model.py::test_redirects_lead_nowhere_else_and_the_key_stays"),
    "a key travels for all to read": ("models/address.py", 'parts.scheme == "http" and has_key', 'parts.scheme == "http" and None', "test_model_answers.py::test_a_key_does_not_travel_for_everybody_to_read"),
    "characters are cut in two": ("models/sse.py", "self._events(self._decode(data))", 'self._events(data.decode("utf-8", "replace"))', "test_model_answers.py::test_it_does_not_matter_where_a_stream_is_cut"),
    "a line end is cut in two": ("models/sse.py", 'if text.endswith("\\r"):', "if False:", "test_model_answers.py"),
    "an answer cut short is whole": ("models/chat_answer.py", "if not (self.done or self._reading.finished):", "if False:", "test_model_answers.py::test_a_stream_that_ends_early_is_no_answer"),
    "calls run into each other": ("models/chat_answer.py", "newest in self._by_id.values()", "False", "test_model_answers.py"),
    "stopping waits for the server": ("models/transport.py", "            if cancel.is_set():\n                raise Cancelled", "            pass", "test_openai_model.py::test_cancelling_ends_at_once_and_closes_the_connection"),
    "stopping leaves the connection open": ("models/openai.py", "            finally:\n                response.close()\n        except Cancelled", "            finally:\n                self._open = response\n        except Cancelled", "test_openai_model.py::test_a_stall_ends_after_its_time"),
    "a stall has no end": ("models/transport.py", "            if left <= 0:\n                raise late()", "            left = 60", "test_openai_model.py::test_pieces_are_passed_on_as_they_come"),
    "a field that is not known is insisted on": ("models/openai.py", "self._left_out.add(complaint)", "raise", "test_openai_model.py::test_a_field_that_a_server_does_not_know_is_left_out"),
    "the wait that a server wants is unheard": ("models/openai.py", '"retry_after_ms": round(wait * 1000)', '"retry_after_ms": None', "test_openai_model.py::test_a_server_that_wants_to_be_left_alone_says_for_how_long"),
    "a page's model is given what it cannot read": ("models/page.py", 'message["role"] in _TURNS and ', "", "test_page_model.py"),
    "a page that says nothing cannot be stopped": ("models/page.py", "if cancel.is_set():", "if False:", "test_page_model.py::test_a_stop_ends_it_while_the_page_says_nothing"),
    "a page is not told that nobody waits": ("models/page.py", "self._bridge.port_end(id)", "pass", "test_page_model.py"),
    "a Chinese chat fails in English": ("conversation.py", "clean(sentence(error, language))", "clean(str(error))", "test_openai_model.py::test_a_chat_keeps_the_question_and_tells_in_its_language"),
    # tools, consent, turns
    "a side effect does not ask": ("tool_runs.py", "if tool.asks_first or self._done_beside(record):", "if False:", "test_agent_scenarios.py::test_a_side_effect_asks_first"),
    "any answer is a yes": ("unfinished.py", "self._decide(said, tells_to_go_on(said.content))", "self._decide(said, True)", "test_agent_scenarios.py::test_whatever_is_no_yes_lets_nothing_lie_in_wait"),
    "a yes sent before the question counts": ("unfinished.py", "            self._decide(said, False)", "            self._decide(said, tells_to_go_on(said.content))", "test_agent_scenarios.py::test_a_message_sent_before_the_question_does_not_answer_it"),
    "an approved call that was cut off is overlooked": ("agent.py", ") or any(call.status in (\"running\", \"unknown\") for call in runs.before())", ")", "test_agent_scenarios.py::test_the_yes_sent_again_after_a_death_repeats_nothing"),
    "what was done before a crash is not told": ("tool_runs.py", "            elif record.status in _OVER:\n                self._earlier.append(record)\n", "", "test_agent_scenarios.py::test_what_was_done_before_a_death_is_told_to_the_model"),
    "a prompt record is believed": ("inspection.py", "except (PyMemoryError, KeyError, TypeError, ValueError, AttributeError):", "except ZeroDivisionError:", "test_agent_scenarios.py::test_a_prompt_from_a_file_that_nobody_trusts_shows_nothing"),
    "what was agreed to is left to the model": ("agent.py", "        await runs.run_approved()\n", "", "test_agent_scenarios.py::test_it_is_done_once_after_a_yes"),
    "an answer given anew acts again": ("tool_runs.py", " or self._done_beside(record):", ":", "test_agent_scenarios.py::test_an_answer_given_anew_does_nothing_twice_unasked"),
    "arguments are not checked": ("tool_runs.py", "arguments = checked_arguments(tool.name, tool.parameters, arguments)", "pass", "test_agent_scenarios.py"),
    "broken arguments go back to the server": ("tool_runs.py", '        return "{}"\n    return clean', '        return arguments\n    return clean', "test_agent_scenarios.py"),
    "reading calls wait for each other": ("tool_runs.py", "if acts or len(together) == 1:", "if True:", "test_agent_scenarios.py::test_calls_that_only_read_run_at_the_same_time"),
    "only the first call is on record": ("tool_runs.py", "        self._note_proposed(read)\n", "        self._note_proposed(read[:1])\n", "test_agent_scenarios.py::test_several_calls_are_one_question"),
    "Stop is unheard while a tool reads": ("tool_runs.py", "await unless_cancelled(self._run(tool, arguments), self._cancel)", "await self._run(tool, arguments)", "test_agent_scenarios.py::test_stop_gives_up_a_tool_that_only_reads"),
    "Stop lets the other calls go on": ("tool_runs.py", "        if self._cancel.is_set():\n            stopped", "        if None:\n            stopped", "test_agent_scenarios.py::test_stop_lets_a_side_effect_come_to_its_end"),
    "results are told whole": ("outputs.py", "if _size(output) <= most:", "if True:", "test_agent_scenarios.py::test_a_long_result_is_cut_and_says_so"),
    "a result speaks for somebody else": ("tool_runs.py", "return without_controls(json_text(output))", "return json_text(output)", "test_agent_scenarios.py::test_a_tools_result_cannot_pass_for_another_speaker"),
    "a turn may be forged in a memory": ("context.py", "without_controls(\" \".join(text.split()))", "\" \".join(text.split())", "test_agent_scenarios.py::test_recalled_text_cannot_leave_its_fence"),
    "a message does not wait": ("turns.py", "while self.waits:", "while False:", "test_agent_scenarios.py::test_a_message_sent_before_the_question_does_not_answer_it"),
    "a busy model is asked once": ("retries.py", "ATTEMPTS = 4", "ATTEMPTS = 1", "test_agent_scenarios.py::test_a_busy_model_is_asked_again_and_the_user_hears_of_it"),
    "half an answer is asked for again": ("retries.py", "if begun or attempt", "if attempt", "test_agent_scenarios.py::test_what_has_arrived_is_kept_and_never_shown_twice"),
    "a bound without a word": ("conversation.py", "self._close_at_bound(bool(self._calls) or", "self._close_at_bound(False and", "test_agent_scenarios.py::test_one_that_goes_on_calling_is_stopped_and_said_so"),
    "an edit replaces": ("agent.py", "id=message_id, beside=instead_of)", "id=message_id)", "test_agent_scenarios.py::test_an_edit_is_a_branch_and_what_the_old_one_taught_asks_for_review"),
    "a model forgets unasked": ("memory_tools.py", "            asks=for_model,", "            asks=False,", "test_agent_scenarios.py::test_forgetting_shows_what_goes_and_asks"),
    "the question keeps what was forgotten": ("memory_tools.py", "[*message_ids, *question_to_go(store, said)]", "[*message_ids]", "test_agent_scenarios.py::test_forgetting_shows_what_goes_and_asks"),
    # forgetting in words
    "more goes than is named": ("models/meant.py", "return Meant([fact for _, fact in found], sure)", "return Meant([fact for _, fact in found], True)", "test_forgetting_in_words.py::test_what_does_not_fit_whole_is_asked_about"),
    "a request to forget is learned from": ("extraction/refusals.py", " or _FORGET.match(sentence.text)", "", "test_forgetting_in_words.py::test_nothing_is_noticed_in_a_request_to_forget"),
    "nobody says what is not asked again": ("models/offline.py", 'self.say("passed_over")', "pass", "test_forgetting_in_words.py::test_what_was_forgotten_is_not_asked_about_again_and_that_is_said"),
    # what fits
    "what was recalled goes before old talk": ("prompts.py", "    if len(parts.history) > 3:\n", "    if len(parts.history) > 3 and not parts.recalled:\n", "test_agent_scenarios.py::test_the_order_in_which_a_prompt_grows_shorter"),
    "a model's own counter is not believed": ("prompting.py", 'if getattr(model, "count_tokens", None) is None:', "if True:", "test_agent_scenarios.py::test_the_models_own_counter_is_believed"),
    "an edit changes what was sent": ("inspection.py", "    if not message.edited:\n", "    if True:\n", "test_agent_scenarios.py::test_what_was_edited_since_reads_as_it_was_sent"),
    "a long prompt is sent again as it was": ("conversation.py", "_SHORTER = 0.6", "_SHORTER = 100", "test_agent_scenarios.py::test_a_prompt_that_was_too_long_is_sent_shorter"),
    # a model that reads in idle time
    "secrets are read out to a model": ("readings.py", "return not message.has_secret and bool(message.content.strip()) and refusal(message.content) is None", "return True", "test_distilling.py"),
    "what changed meanwhile is learned": ("readings.py", "message is not None and message.version_id in versions", "message is not None", "test_distilling.py"),
    "a stopped step counts": ("distilling.py", "            raise _Stopped", "            pass", "test_distilling.py"),
    "nonsense is asked for again": ("distilling.py", "            self._store.skip_reading(reading)\n            read = Read()\n        except ContextTooLongError", "            read = Read()\n        except ContextTooLongError", "test_distilling.py"),
    "a model may flood the user": ("readings.py", ">= MAX_WAITING:", "> 10 * MAX_WAITING:", "test_distilling.py::test_the_user_is_not_flooded"),
    "a model may dispute everything": ("readings.py", "len(disputed) == MAX_DISPUTES", "False", "test_distilling.py::test_a_model_that_sees_contradictions_everywhere_takes_little_away"),
    "what both hold is disputed again": ("readings.py", "if older.pinned or is_rejected(self._db, self._user, asked):", "if older.pinned:", "test_distilling.py::test_of_two_that_contradict_the_older_is_put_to_the_user"),
    "a summary of nothing takes the place of one": ("extraction/structured_summary.py", "if not (topic or text or conclusions or open_items):", "if False:", "test_distilling.py::test_a_summary_that_says_nothing_does_not_take_the_place_of_one"),
    "what is open is lost in a model's summary": ("extraction/structured_summary.py", "open_items = open_items or list(before.open_items)", "pass", "test_distilling.py::test_an_extract_is_written_better"),
    "a text may leave its fence": ("readings.py", "    return json.dumps(values, ensure_ascii=False)", '    return "\\n".join(map(str, values.values()))', "test_distilling.py"),
    # reading page by page
    "the next page begins anywhere": ("rows/messages.py", "SELECT id FROM up ORDER BY depth DESC LIMIT ?", "SELECT id FROM up ORDER BY depth LIMIT ?", "test_messages.py::test_pages_of_the_branch_on_screen"),
    "what is pinned is read with its group": ("rows/facts.py", '"ORDER BY f.pinned DESC, CASE WHEN f.pinned', '"ORDER BY CASE WHEN f.pinned AND 0', "test_facts.py"),
    # syncing
    "a change sent again counts twice": ("server/service.py", "            if n <= last_n:\n", "            if False:\n", "test_sync_faults.py::test_fault_15_reply_lost_after_commit"),
    "any change knows what it replaces": ("server/service.py", 'known = base.get(name) == there["stamp"]', "known = True", "test_sync_faults.py::test_fault_15_reply_lost_after_commit"),
    "what was forgotten comes back": ("server/service.py", 'return {"status": "ignored_forgotten"}\n        if row is None:', "return self._make(mutation)\n        if row is None:", "test_sync_devices.py::test_fault_31_forgotten_here_changed_there"),
    "the cursor is kept before the rows": ("sync/incoming.py", "        self._take_rows(puts)\n        waiting", "        waiting", "test_sync_faults.py::test_fault_15_reply_lost_after_commit"),
    "an acknowledgement is not written down": ("sync/incoming.py", "rows.set_base(self._db, self._user, kind, id, {**base, **stamps}, self._state.pass_)", "pass", "test_sync_faults.py test_sync_devices.py test_sync_forgetting.py test_sync_harm.py test_sync_review.py test_sync_machine.py"),
    "a secret leaves": ("sync/outgoing.py", 'row["content"] = HIDDEN', "pass", "test_sync_forgetting.py::test_secrets_and_what_is_for_this_device_stay"),
    "what a key calls a secret leaves": ("sync/staying.py", "return names_a_secret(key) or", "return", "test_sync_forgetting.py::test_a_fact_whose_key_names_a_secret_stays"),
    "an answer tells what stays": ("sync/outgoing.py", "self._staying.resting(of) if of else set()", "set()", "test_sync_forgetting.py::test_what_tells_of_a_fact_that_stays_stays"),
    "the words of what stays leave": ("sync/staying.py", "if not self._values:", "if True:", "test_sync_forgetting.py::test_what_tells_of_a_fact_that_stays_stays"),
    "a file closes with a draft's fence": ("extraction/masking.py", "if begin < done and not opening[2].strip():", "if begin < done:", "test_extraction.py::test_an_attached_file_is_not_what_the_user_says"),
    "a value goes for a copy of another": ("sync/copies.py", "if fact[\"id\"] == copy_id", "if not copy_id", "test_sync_review.py::test_both_loses_nothing_whatever_another_device_decides"),
    "a forgotten page stays on its way": ("sync/waiting.py", "    if rows.is_outgoing(db, user_id, kind, id):\n", "    if False:\n", "test_sync_forgetting.py::test_what_is_forgotten_while_it_is_on_its_way_does_not_leave"),
    "another's limit sets rows aside": ("sync/engine.py", "if len(sent) == 1 and (limit is None or size <= limit):", "if False:", "test_sync_harm.py::test_what_others_find_too_large_is_not_set_aside"),
    "what waits for what was forgotten stays": ("sync/incoming.py", "            self._drop_waiting(waiting, id)", "            pass", "test_sync_devices.py::test_fault_31_what_waits_goes_with_what_it_waits_for"),
    "messages go with the title of their session": ("sync/incoming.py", "            else:\n                self._drop_waiting(waiting, id)", "            self._drop_waiting(waiting, id)", "test_sync_devices.py::test_what_waits_for_a_session_outlives_the_words_of_it"),
    "what arrives for what comes back is lost": ("sync/incoming.py", "            self._join(kind, values, owner, name)", "            pass", "test_sync_forgetting.py::test_what_arrives_for_something_forgotten_comes_back_with_it"),
    "a message without a text stands in the way": ("forgetting.py", "going.messages.append(message_rows.get_place(self._db, self._user, id))", "going.messages.append(message_rows.get_message(self._db, self._user, id))", "test_sync_devices.py::test_fault_31_forgotten_before_its_text_came"),
    "what a copy sent before stands": ("server/service.py", "status != \"conflict\" and row.seq > self._seen", "status != \"conflict\"", "test_sync_devices.py::test_fault_22_what_a_copy_has_sent_before"),
    "a long sync may be asked to wait three times": ("sync/engine.py", "self._pauses = 0  # it goes on", "pass  # it goes on", "test_sync_faults.py::test_fault_29_a_long_sync_is_asked_to_wait_again_and_again"),
    "an answer may lead nowhere": ("sync/engine.py", "reply.cursor <= before and not acknowledged", "False", "test_sync_harm.py::test_an_answer_that_leads_no_further_ends_the_sync"),
    "a page made ahead leaves though it is old": ("sync/engine.py", "self._ahead if self._db.state == self._seen else None", "self._ahead", "test_sync_ahead.py::test_what_changes_meanwhile_leaves_as_it_is_then"),
    "a page made ahead stands on what is still on its way": ("sync/engine.py", "and sent.isdisjoint(ahead.left)", "", "test_sync_ahead.py::test_what_changes_on_its_way_leaves_after_it"),
    "a secret fact leaves": ("sync/staying.py", "bool(secret_spans(key) or secret_spans(value))", "False", "test_sync_forgetting.py::test_no_secret_leaves_in_anything_else"),
    "a connection goes back as a user's": ("server/postgres_unit.py", "set_config('py_memory.user_id', %s, true)", "set_config('py_memory.user_id', %s, false)", "test_postgres_store.py::test_a_connection_goes_back_as_nobodys"),
    "numbers are given without the lock": ("server/postgres_unit.py", 'HEAD + " FOR UPDATE OF h"', "HEAD", "test_server_stores.py::test_writers_of_one_user_take_turns"),
    "a role past the security serves": ("server/postgres_schema.py", "    if bypassing:", "    if False:", "test_postgres_store.py::test_a_role_that_sees_past_the_security_does_not_serve"),
    "the log of answers keeps a row": ("server/service.py", "hash, _without_row(result))", "hash, result)", "test_server_operations.py::test_the_log_of_answers_holds_nothing_that_was_said"),
    "a request's address is noted": ("server/operations.py", "noted.route if noted.route in self._routes else OTHER", "noted.route", "test_server_operations.py::test_a_line_for_each_request_and_nothing_of_what_was_said"),
    "changes of another group are not sent back": ("server/service.py", "met = row.seq > self._seen", "met = False", "test_sync_devices.py::test_changes_to_two_groups_of_one_row"),
    "what is forgotten after an import stays there": ("sync/incoming.py", 'rows.mark(self._db, self._user, kind, id, "*", self._clock())', "pass", "test_sync_devices.py::test_fault_31_forgotten_after_an_import_from_another_device"),
    # much of everything
    "idle chats are looked at each time": ("store/sessions.py", "since = seen[0] if seen and id is None else -MAX_TIME", "since = -MAX_TIME", "test_pages.py"),
    "what follows a message is sought in its whole session": ("migrations/0006_messages_by_parent.sql", "ON messages (parent_id) WHERE parent_id IS NOT NULL", "ON messages (tool_call_id)", "test_pages.py"),
    "what waits is cut off": ("rows/facts.py", "offset -= min(offset, counts[status])", "pass", "test_pages.py"),
    "an import begins anew in a new file": ("formats/chat_import.py", "former._made, former._quotes, former.additions", "set(), {}, self.additions", "test_chat_import.py"),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTANTS)
def test_every_mutant_is_caught(name: str, tmp_path: Path) -> None:
    file, text, instead, tests = MUTANTS[name]
    # With what Python has compiled already, which it takes for files of the same time and size.
    shutil.copytree(ROOT / "py_memory", tmp_path / "py_memory")
    (tmp_path / "tests").mkdir()
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for folder in ("unit", "data"):
        shutil.copytree(ROOT / "tests" / folder, tmp_path / "tests" / folder)
    shutil.copy(ROOT / "tests" / "modelserver.py", tmp_path / "tests")
    source = tmp_path / "py_memory" / file
    whole = source.read_text("utf-8")
    assert text in whole, f"The mutant {name!r} looks for a text that is no longer in {file}."
    source.write_text(whole.replace(text, instead), "utf-8")
    for compiled in (source.parent / "__pycache__").glob(f"{source.stem}.*"):
        compiled.unlink()
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        "--import-mode=importlib",
    ]
    command += [f"tests/unit/{test}" for test in tests.split()]
    # Loading plugins takes longer than most of these tests.
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1, f"The tests do not see {name!r}:\n{done.stdout[-800:]}"
