-- A fact's value as it is compared with others (NFKC, small letters, trimmed), so that one of many under a key is
-- found without reading them all. NULL: not known yet.
ALTER TABLE facts ADD COLUMN value_folded TEXT;
DROP INDEX facts_by_key;
CREATE INDEX facts_by_key ON facts (user_id, key, status, value_folded);
CREATE TRIGGER fact_value_changed AFTER UPDATE OF value ON facts
WHEN NEW.value <> OLD.value AND NEW.value_folded IS OLD.value_folded
BEGIN
    UPDATE facts SET value_folded = NULL WHERE seq = NEW.seq;
END;
