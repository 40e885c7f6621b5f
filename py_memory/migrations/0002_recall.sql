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
