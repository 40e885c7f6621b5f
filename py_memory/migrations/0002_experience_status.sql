-- An experience is offered only after the user's yes; one that waits for it is a candidate.
ALTER TABLE experiences ADD COLUMN status TEXT NOT NULL DEFAULT 'current' CHECK (status IN ('candidate', 'current'));
