-- Words too common to help stay out of the index (exact search reads the texts for them), and messages can be found
-- by the days they speak of.
DROP TABLE message_search;
DROP VIEW message_search_content;
CREATE VIEW message_search_content AS
SELECT m.seq AS seq, search_terms(v.content) AS terms, search_marks(m.speaker, m.created_at, v.content) AS marks
FROM messages m
JOIN message_versions v ON v.id = (
    SELECT w.id FROM message_versions w WHERE w.message_id = m.id
    ORDER BY w.created_at DESC, w.id DESC LIMIT 1)
WHERE m.role IN ('user', 'assistant') AND m.status IN ('complete', 'stopped');
CREATE VIRTUAL TABLE message_search USING fts5(
    terms, marks, content = 'message_search_content', content_rowid = 'seq', tokenize = 'porter unicode61');
INSERT INTO message_search (message_search, rank) VALUES ('automerge', 0);
INSERT INTO message_search (message_search) VALUES ('rebuild');

-- One index over everything else that can be recalled. A row's number is four times its seq plus its kind: 0 facts,
-- 1 summaries, 2 tool calls with a result, 3 experiences. Triggers keep it, whoever writes the rows.
CREATE VIEW memory_search_content AS
SELECT seq * 4 AS number, search_terms(replace(key, '::', ' ') || ' ' || value || ' ' || ifnull(quote, '')) AS terms
FROM facts
UNION ALL
SELECT seq * 4 + 1, search_terms(ifnull(topic, '') || ' ' || content) FROM summaries
UNION ALL
SELECT seq * 4 + 2, search_terms(tool_name || ' ' || substr(input_json, 1, 2000) || ' ' || substr(output_json, 1, 8000))
FROM tool_calls WHERE output_json IS NOT NULL
UNION ALL
SELECT seq * 4 + 3, search_terms(topic || ' ' || content) FROM experiences;
CREATE VIRTUAL TABLE memory_search USING fts5(
    terms, content = 'memory_search_content', content_rowid = 'number', tokenize = 'porter unicode61');
INSERT INTO memory_search (memory_search, rank) VALUES ('automerge', 0);
INSERT INTO memory_search (memory_search) VALUES ('rebuild');

CREATE TRIGGER fact_searchable AFTER INSERT ON facts
BEGIN
    INSERT INTO memory_search (rowid, terms)
    VALUES (NEW.seq * 4, search_terms(replace(NEW.key, '::', ' ') || ' ' || NEW.value || ' ' || ifnull(NEW.quote, '')));
END;
CREATE TRIGGER fact_unsearchable AFTER DELETE ON facts
BEGIN
    INSERT INTO memory_search (memory_search, rowid, terms)
    VALUES ('delete', OLD.seq * 4, search_terms(replace(OLD.key, '::', ' ') || ' ' || OLD.value || ' ' || ifnull(OLD.quote, '')));
END;
CREATE TRIGGER fact_searchable_anew AFTER UPDATE OF key, value, quote ON facts
BEGIN
    INSERT INTO memory_search (memory_search, rowid, terms)
    VALUES ('delete', OLD.seq * 4, search_terms(replace(OLD.key, '::', ' ') || ' ' || OLD.value || ' ' || ifnull(OLD.quote, '')));
    INSERT INTO memory_search (rowid, terms)
    VALUES (NEW.seq * 4, search_terms(replace(NEW.key, '::', ' ') || ' ' || NEW.value || ' ' || ifnull(NEW.quote, '')));
END;

CREATE TRIGGER summary_searchable AFTER INSERT ON summaries
BEGIN
    INSERT INTO memory_search (rowid, terms)
    VALUES (NEW.seq * 4 + 1, search_terms(ifnull(NEW.topic, '') || ' ' || NEW.content));
END;
CREATE TRIGGER summary_unsearchable AFTER DELETE ON summaries
BEGIN
    INSERT INTO memory_search (memory_search, rowid, terms)
    VALUES ('delete', OLD.seq * 4 + 1, search_terms(ifnull(OLD.topic, '') || ' ' || OLD.content));
END;
CREATE TRIGGER summary_searchable_anew AFTER UPDATE OF topic, content ON summaries
BEGIN
    INSERT INTO memory_search (memory_search, rowid, terms)
    VALUES ('delete', OLD.seq * 4 + 1, search_terms(ifnull(OLD.topic, '') || ' ' || OLD.content));
    INSERT INTO memory_search (rowid, terms)
    VALUES (NEW.seq * 4 + 1, search_terms(ifnull(NEW.topic, '') || ' ' || NEW.content));
END;

CREATE TRIGGER result_searchable AFTER INSERT ON tool_calls WHEN NEW.output_json IS NOT NULL
BEGIN
    INSERT INTO memory_search (rowid, terms)
    VALUES (NEW.seq * 4 + 2, search_terms(NEW.tool_name || ' ' || substr(NEW.input_json, 1, 2000) || ' ' || substr(NEW.output_json, 1, 8000)));
END;
CREATE TRIGGER result_unsearchable AFTER DELETE ON tool_calls WHEN OLD.output_json IS NOT NULL
BEGIN
    INSERT INTO memory_search (memory_search, rowid, terms)
    VALUES ('delete', OLD.seq * 4 + 2, search_terms(OLD.tool_name || ' ' || substr(OLD.input_json, 1, 2000) || ' ' || substr(OLD.output_json, 1, 8000)));
END;
CREATE TRIGGER result_searchable_anew AFTER UPDATE OF tool_name, input_json, output_json ON tool_calls
BEGIN
    INSERT INTO memory_search (memory_search, rowid, terms)
    SELECT 'delete', OLD.seq * 4 + 2, search_terms(OLD.tool_name || ' ' || substr(OLD.input_json, 1, 2000) || ' ' || substr(OLD.output_json, 1, 8000))
    WHERE OLD.output_json IS NOT NULL;
    INSERT INTO memory_search (rowid, terms)
    SELECT NEW.seq * 4 + 2, search_terms(NEW.tool_name || ' ' || substr(NEW.input_json, 1, 2000) || ' ' || substr(NEW.output_json, 1, 8000))
    WHERE NEW.output_json IS NOT NULL;
END;

CREATE TRIGGER experience_searchable AFTER INSERT ON experiences
BEGIN
    INSERT INTO memory_search (rowid, terms)
    VALUES (NEW.seq * 4 + 3, search_terms(NEW.topic || ' ' || NEW.content));
END;
CREATE TRIGGER experience_unsearchable AFTER DELETE ON experiences
BEGIN
    INSERT INTO memory_search (memory_search, rowid, terms)
    VALUES ('delete', OLD.seq * 4 + 3, search_terms(OLD.topic || ' ' || OLD.content));
END;
CREATE TRIGGER experience_searchable_anew AFTER UPDATE OF topic, content ON experiences
BEGIN
    INSERT INTO memory_search (memory_search, rowid, terms)
    VALUES ('delete', OLD.seq * 4 + 3, search_terms(OLD.topic || ' ' || OLD.content));
    INSERT INTO memory_search (rowid, terms)
    VALUES (NEW.seq * 4 + 3, search_terms(NEW.topic || ' ' || NEW.content));
END;
