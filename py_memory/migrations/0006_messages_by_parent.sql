-- What follows a message, so that the branches beside a part of a chat are found without reading the whole session. The
-- beginnings of a session follow none and have an index of their own.
CREATE INDEX messages_by_parent ON messages (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX first_messages ON messages (session_id) WHERE parent_id IS NULL;
