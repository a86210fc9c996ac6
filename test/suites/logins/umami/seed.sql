INSERT INTO "user" (user_id, username, password, role, created_at) VALUES
  ('41e2b680-648e-4b09-bcd7-3e2b10c06264', 'admin', '$2a$10$yHDgYd7v0CyX96Zlrvi1BOf.q61t77hIie/nWBP1lt43iVF..b.QS', 'admin', '2026-01-02 03:04:05Z');
INSERT INTO "user" (user_id, username, password, role, deleted_at) VALUES
  ('41e2b680-648e-4b09-bcd7-3e2b10c06265', 'former', '$2a$10$9HtRcYnG/zMNbZoVPSpGE.EVYRyKTSJFBc1Vt8NoGcmkolkVMcS4.', 'user', now());
INSERT INTO team (team_id, name) VALUES ('5a9e4bbd-0000-4000-8000-000000000001', 'Editors');
INSERT INTO team_user VALUES ('5a9e4bbd-0000-4000-8000-000000000002', '5a9e4bbd-0000-4000-8000-000000000001', '41e2b680-648e-4b09-bcd7-3e2b10c06264', 'team-owner');
